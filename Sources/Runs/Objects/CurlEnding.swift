internal import Platform

/// How a transfer ended, by the exit status of `curl`.
enum CurlEnding: Hashable {
  case fine
  /// Another try may succeed; the sentence says why this one did not.
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
      case 5: .broken("the proxy is not known")
      case 6: .broken("the host is not known")
      case 7: .broken("the server takes no connection")
      case 16, 92: .broken("the connection broke off")
      case 18: .broken("the answer ended early")
      case 28: .broken("the server was silent or too slow for \(silence.components.seconds) s")
      case 35: .broken("no secure connection was made")
      case 52: .broken("the server closed the connection without an answer")
      case 55, 56: .broken("the connection was lost")
      case 1, 47: .failed(FetchFailure(.badAnswer, "The server leads elsewhere too often, or to an unsafe address."))
      case 2, 4:
        .failed(FetchFailure(.noClient, "The program curl is too old or lacks what is needed; version 7.88 has it."))
      case 51, 58, 60, 77, 83, 90, 91:
        .failed(FetchFailure(.denied, "The certificate of the server is not trusted (curl: status \(status))."))
      // What starts a program and does not find it ends so.
      case 127: .failed(.missingCurl("not found"))
      default: .failed(FetchFailure(.badAnswer, "The program curl ended with status \(status)."))
      }
  }
}
