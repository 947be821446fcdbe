import AnalysisTesting
import Foundation
import HTTPTypes
import ResultStore
import SystemPackage
import Testing

@testable import Server
@testable import Serving

/// Returns the refusal that `body` throws; `nil` if there is none.
func refusal(_ body: () throws -> Void) -> RequestError? {
  do {
    try body()
    return nil
  } catch {
    return error as? RequestError
  }
}

@Suite(.bounded) struct RequestErrorTests {
  @Test func errorsOfTheInsideAreNotTold() {
    struct Secret: Error {}
    let error = RequestError(Secret())
    #expect(error.status == .internalServerError)
    #expect(!error.message.contains("Secret"))
    #expect(!RequestError(StoreError.corrupt(path: "/secret/place", detail: "page 3")).message.contains("secret"))
  }

  @Test func aBusyDatabaseAsksToComeBack() {
    let error = RequestError(StoreError.busy(path: "/a"))
    #expect(error.status == .serviceUnavailable)
    #expect(error.retryAfter != nil && error.message.contains("locked the database"))
  }
}
