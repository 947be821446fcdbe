public import Foundation

/// An external program in `PATH` that tests use to create files or to compare results. If it is missing, the test
/// fails.
public struct ExternalProgram: Sendable {
  public static let ffmpeg = ExternalProgram("ffmpeg", ["-nostdin", "-v", "error", "-y"])

  private let name: String
  private let arguments: [String]

  /// - Parameter arguments: Arguments that precede all others.
  public init(_ name: String, _ arguments: [String] = []) {
    self.name = name
    self.arguments = arguments
  }

  /// - Parameter statuses: The accepted exit statuses.
  /// - Returns: The program's standard output.
  /// - Throws: `Failure` for any other exit status, or if the program is missing.
  @discardableResult
  public func run(_ more: [String], endingWith statuses: Set<Int32> = [0]) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments + more
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (Pipe(), FileManager.default.temporaryDirectory.appending(path: UUID().uuidString))
    process.standardOutput = output
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: errors) }
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard statuses.contains(process.terminationStatus) else {
      let complaint = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
      throw Failure(description: "\(name) \(more) ended with \(process.terminationStatus): \(complaint)")
    }
    return text
  }

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }
}
