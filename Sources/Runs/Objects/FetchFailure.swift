/// The reason an object could not be fetched. The code appears in output for programs and must never be renamed.
public struct FetchFailure: Error, Hashable, Sendable {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    case notFound = "object_not_found"
    case denied = "object_denied"
    /// The server did not answer, was busy, or interrupted the transfer, in every attempt.
    case unavailable = "object_unavailable"
    /// The object changed while it was being fetched.
    case changed
    case tooLarge = "object_too_large"
    case noSpace = "no_space"
    /// `curl` is missing or too old.
    case noClient = "no_curl"
    /// The server's answer was invalid.
    case badAnswer = "bad_answer"
  }

  public var code: Code
  /// A single sentence, without the name of the object and without secrets.
  public var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// - Parameter reason: The reason, as a clause.
  static func missingCurl(_ reason: String) -> FetchFailure {
    FetchFailure(.noClient, "The program curl cannot be started: \(reason). Install it (Debian: apt install curl).")
  }
}
