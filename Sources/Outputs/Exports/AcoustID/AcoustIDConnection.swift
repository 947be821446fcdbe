internal import Foundation
internal import Platform
internal import SystemPackage

/// A service that answers forms.
protocol AcoustIDService {
  func post(_ form: String, to address: String) throws(AcoustIDConnection.Failure) -> AcoustIDConnection.Answer
}

/// Posts forms with the program `curl`, which uses the machine's proxies and certificates. Forms are passed on standard
/// input, so that keys do not appear on any command line.
struct AcoustIDConnection: AcoustIDService {
  struct Answer {
    var status: Int
    /// Number of seconds that the server asks to wait.
    var retryAfter: Int?
    var body: [UInt8]
  }

  /// The reason there was no answer.
  struct Failure: Error {
    var reason: String
    /// `true` if a retry would be useless, for example because the program is missing.
    var isFinal: Bool
  }

  /// Timeout of one request, in seconds.
  private static let patience = 60
  /// curl's exit statuses for an address that it does not support or cannot parse.
  private static let wrongAddress: Set<Int> = [1, 3]
  /// Maximum size of an answer in bytes, which no real answer reaches.
  private static let maxBytes = 16 << 20

  let program: String

  func post(_ form: String, to address: String) throws(Failure) -> Answer {
    let words = [
      "curl", "--disable", "--silent", "--show-error", "--max-time", "\(Self.patience)", "--proto", "=http,https",
      "--max-filesize", "\(Self.maxBytes)", "--user-agent", program.replacing(" ", with: "/"), "--header", "Expect:",
      "--data-binary", "@-", "--write-out", "\n%{http_code} %header{retry-after}", "--url", address,
    ]
    let (status, output, errors) = try Self.run(words, input: Array(form.utf8))
    guard status == 0 else {
      let text = String(decoding: errors, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      throw Failure(
        reason: text.isEmpty ? "curl ended with status \(status)" : text, isFinal: Self.wrongAddress.contains(status))
    }
    let end = output.lastIndex(of: UInt8(ascii: "\n")) ?? output.startIndex
    let last = String(decoding: output[end...], as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard let code = last.first.flatMap({ Int($0) }) else {
      throw Failure(reason: "curl reported no HTTP status", isFinal: true)
    }
    return Answer(status: code, retryAfter: last.count > 1 ? Int(last[1]) : nil, body: Array(output[..<end]))
  }

  private static func run(
    _ words: [String], input: [UInt8]
  ) throws(Failure) -> (status: Int, output: [UInt8], errors: [UInt8]) {
    let process: PipedProcess
    let ending: ChildProcess.Ending
    do throws(PipedProcess.Failure) {
      process = try PipedProcess(
        ProgramCommand(words), outputLimit: maxBytes, hasInput: true, patience: .seconds(2 * patience))
      try process.write(input)
      ending = try process.waitForEnd()
    } catch {
      switch error {
      case .cannotStart(let reason):
        throw Failure(
          reason: "the program curl cannot be started: \(reason) (Debian: apt install curl)", isFinal: true)
      case .timeout: throw Failure(reason: "curl did not finish", isFinal: false)
      case .tooMuchOutput: throw Failure(reason: "the answer is larger than \(maxBytes >> 20) MiB", isFinal: true)
      }
    }
    switch ending {
    case .status(let status): return (status, process.output, process.errorTail)
    case .signal(let signal): throw Failure(reason: "curl was ended by signal \(signal)", isFinal: true)
    }
  }
}
