internal import LibraryStore
internal import ResultStore
package import Serving

// Database errors, in the form that clients see.

extension RequestError {
  /// Another program has kept the database locked for longer than the server waits.
  static let lockedDatabase = RequestError(
    .serviceUnavailable,
    "Another program has locked the database, so it cannot be changed now. Try again in a few seconds. If that does "
      + "not help, close the program that holds the lock, such as a sqlite3 shell in a transaction.", retryAfter: 5)
}

extension StoreError: ClientFacingError {
  package var asRequestError: RequestError {
    if case .busy = self { return .lockedDatabase }
    return RequestError(.internalServerError, "The database could not be read; the log of the server says why.")
  }
}

extension PlaylistEditError: ClientFacingError {
  package var asRequestError: RequestError {
    RequestError(self == .noSuchPlaylist ? .notFound : .badRequest, message)
  }
}
