internal import CSpawn
internal import Foundation
internal import Glibc
internal import Platform
internal import SystemPackage

/// Posts forms with the program `curl`, which knows the proxies and certificates of the machine. What is posted goes through
/// its standard input: keys are on no command line.
struct AcoustIDConnection {
  struct Answer {
    /// Of HTTP.
    var status: Int
    /// Seconds that the server wants to be left alone.
    var retryAfter: Int?
    var body: [UInt8]
  }

  /// The reason why there was no answer.
  struct Failure: Error {
    var reason: String
    /// Without the program there is no use in trying again.
    var isFinal: Bool
  }

  /// Seconds of one request.
  private static let patience = 60
  /// Its exit statuses for an address that it cannot make sense of.
  private static let wrongAddress: Set<Int32> = [1, 3]
  /// More than any answer has, in bytes.
  private static let mostBytes = 16 << 20

  let program: String

  func post(_ form: String, to address: String) throws(Failure) -> Answer {
    let words = [
      "curl", "--disable", "--silent", "--show-error", "--max-time", "\(Self.patience)", "--proto", "=http,https",
      "--max-filesize", "\(Self.mostBytes)", "--user-agent", program.replacing(" ", with: "/"), "--header", "Expect:",
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
      throw Failure(reason: "curl said nothing of the answer", isFinal: true)
    }
    return Answer(status: code, retryAfter: last.count > 1 ? Int(last[1]) : nil, body: Array(output[..<end]))
  }

  /// Runs a program to its end; it is killed when this process ends.
  private static func run(
    _ words: [String], input: [UInt8]
  ) throws(Failure) -> (status: Int32, output: [UInt8], errors: [UInt8]) {
    do {
      let folder = FilePath(FileManager.default.temporaryDirectory.path)
      let form = try UnnamedFile(in: folder)
      let output = try UnnamedFile(in: folder)
      let errors = try UnnamedFile(in: folder)
      _ = try form.descriptor.writeAll(input)
      try form.descriptor.seek(offset: 0, from: .start)
      var process: pid_t = 0
      let strings = words.map { strdup($0) } + [nil]
      defer { for string in strings { free(string) } }
      let problem = cspawn_start(
        &process, strings, 0, form.descriptor.rawValue, output.descriptor.rawValue, errors.descriptor.rawValue)
      guard problem == 0 else {
        throw Failure(
          reason: "the program curl cannot be started: \(Errno(rawValue: problem)) (Debian: apt install curl)",
          isFinal: true)
      }
      var status: Int32 = 0
      var signal: Int32 = 0
      _ = cspawn_reap(process, &status, &signal)
      if signal != 0 { throw Failure(reason: "curl was ended by signal \(signal)", isFinal: true) }
      return (status, try content(of: output.descriptor), try content(of: errors.descriptor))
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(reason: "\(error)", isFinal: true)
    }
  }

  private static func content(of file: FileDescriptor) throws -> [UInt8] {
    try file.seek(offset: 0, from: .start)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < mostBytes {
      let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return bytes
  }
}
