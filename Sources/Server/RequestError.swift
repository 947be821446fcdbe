package import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import NIOCore
internal import NIOHTTP1
internal import ResultStore
internal import Text

/// Why a request is not answered as asked. Each API gives it the shape that its clients expect.
package struct RequestError: Error, Sendable, Equatable {
  package var status: HTTPResponse.Status
  /// A sentence for people: what is wrong, and what to do.
  package var message: String
  /// Seconds.
  package var retryAfter: Int?

  /// What clients of Subsonic's API are told, if it does not follow from the status.
  var subsonicCode: SubsonicErrorCode?

  package init(_ status: HTTPResponse.Status, _ message: String, retryAfter: Int? = nil) {
    self.status = status
    self.message = message
    self.retryAfter = retryAfter
  }

  /// More waits than the server can do in time.
  static let overload = RequestError(
    .serviceUnavailable, "The server has too much to do. Try again in a second.", retryAfter: 1)

  /// Another program writes the database for longer than the server waits.
  static let lockedDatabase = RequestError(
    .serviceUnavailable,
    "Another program has locked the database, so it cannot be changed now. Try again in some seconds. If that does not help, "
      + "close what has it open, such as a sqlite3 shell in a transaction.", retryAfter: 5)

  /// What any error means to a client. Of errors that no route knows, nothing of the inside is told.
  init(_ error: any Error) {
    switch error {
    case let error as RequestError: self = error
    case let error as HTTPError where error.status == .notFound && error.body == nil:
      self.init(.notFound, "There is nothing at this address.")
    case let error as HTTPError:
      self.init(error.status, error.body ?? error.status.reasonPhrase)
    case is HTTPParserError:
      self.init(.badRequest, "The body of the request is not as HTTP/1.1 has it; its chunks may be damaged.")
    case is NIOTooManyBytesError:
      self.init(.contentTooLarge, "The request is too large.")
    case let error as PlaylistEditError:
      self.init(error == .noSuchPlaylist ? .notFound : .badRequest, error.message)
    case let error as StoreError:
      if case .busy = error {
        self = .lockedDatabase
      } else {
        self.init(.internalServerError, "The database could not be read; the log of the server says why.")
      }
    case is CancellationError:
      self.init(.serviceUnavailable, "The server is stopping. Try again later.", retryAfter: 5)
    default:
      self.init(.internalServerError, "The server could not answer; its log says why.")
    }
  }
}
