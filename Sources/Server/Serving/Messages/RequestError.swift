package import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1

/// A failure of a request. Each API writes it in the form that its clients expect.
package struct RequestError: Error, Sendable, Equatable {
  package var status: HTTPResponse.Status
  /// A sentence for people that says what is wrong and what to do.
  package var message: String
  /// Seconds after which the client may try again.
  package var retryAfter: Int?

  /// The API's own error code, if it does not follow from the status.
  package var apiCode: Int?

  package init(_ status: HTTPResponse.Status, _ message: String, retryAfter: Int? = nil) {
    self.status = status
    self.message = message
    self.retryAfter = retryAfter
  }

  /// More requests are waiting than the server can handle in time.
  static let overload = RequestError(
    .serviceUnavailable, "The server is overloaded. Try again in a second.", retryAfter: 1)

  /// Describes any error for a client. The description of an unexpected error reveals nothing about the implementation.
  package init(_ error: any Error) {
    switch error {
    case let error as RequestError: self = error
    case let error as HTTPError where error.status == .notFound && error.body == nil:
      self.init(.notFound, "There is nothing at this address.")
    case let error as HTTPError:
      self.init(error.status, error.body ?? error.status.reasonPhrase)
    case is HTTPParserError:
      self.init(.badRequest, "The body of the request is not valid HTTP/1.1; its chunks may be damaged.")
    case is NIOTooManyBytesError:
      self.init(.contentTooLarge, "The request is too large.")
    case let error as any ClientFacingError: self = error.asRequestError
    case is CancellationError:
      self.init(.serviceUnavailable, "The server is stopping. Try again later.", retryAfter: 5)
    default:
      self.init(.internalServerError, "The server could not answer; its log says why.")
    }
  }
}

/// An error that is meaningful to clients, thrown by code that routes call.
package protocol ClientFacingError: Error {
  var asRequestError: RequestError { get }
}
