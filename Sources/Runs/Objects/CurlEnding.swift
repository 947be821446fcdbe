internal import Platform

/// The outcome of a transfer, derived from the exit status of `curl`.
enum CurlEnding: Hashable {
  case fine
  /// A transient failure. The clause says why.
  case broken(String)
  case failed(FetchFailure)

  init(_ ending: ChildProcess.Ending, silence: Duration) {
    guard case .status(let status) = ending else {
      self = .broken("curl was ended by \(ending)")
      return
    }
    self =
      switch status {
      case 0: .fine
      case 5: .broken("the proxy was not found")
      case 6: .broken("the host was not found")
      case 7: .broken("the server refused the connection")
      case 16, 92: .broken("the connection was interrupted")
      case 18: .broken("the answer ended early")
      case 28: .broken("the server was silent or too slow for \(silence.components.seconds) s")
      case 35: .broken("no secure connection could be made")
      case 52: .broken("the server closed the connection without an answer")
      case 55, 56: .broken("the connection was lost")
      case 1, 47: .failed(FetchFailure(.badAnswer, "The server redirects too often, or to an unsafe address."))
      case 2, 4:
        .failed(FetchFailure(.noClient, "The program curl is too old or lacks a feature; version 7.88 is sufficient."))
      case 51, 58, 60, 77, 83, 90, 91:
        .failed(FetchFailure(.denied, "The certificate of the server is not trusted (curl: status \(status))."))
      // The launcher exits with this status if it does not find the program.
      case 127: .failed(.missingCurl("not found"))
      default: .failed(FetchFailure(.badAnswer, "The program curl ended with status \(status)."))
      }
  }
}
