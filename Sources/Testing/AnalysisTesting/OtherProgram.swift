public import Foundation

/// A program of others, found in `PATH`, with which tests make files or compare. A missing one fails the test.
public struct OtherProgram: Sendable {
  public static let ffmpeg = OtherProgram("ffmpeg", ["-nostdin", "-v", "error", "-y"])

  private let name: String
  private let arguments: [String]

  /// - Parameter arguments: Before all others.
  public init(_ name: String, _ arguments: [String] = []) {
    self.name = name
    self.arguments = arguments
  }

  /// - Parameter statuses: With which it may end.
  /// - Returns: Its standard output.
  /// - Throws: `Failure` if it ends otherwise, or is not there.
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
