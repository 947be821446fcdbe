internal import Glibc
public import SystemPackage

/// Input that ended in an error. What was read until then is good.
public struct LineReadingError: Error, Hashable, Sendable, CustomStringConvertible {
  public var reason: String

  public var description: String { "the input cannot be read any further: \(reason)" }
}

/// Reads lines from a file or pipe as they come, in memory that does not depend on their number.
public struct LineReader: ~Copyable {
  public enum Line: Hashable, Sendable {
    /// Without its separator. The last line may lack one.
    case text([UInt8])
    /// More bytes than allowed; these are the first of them.
    case tooLong([UInt8])
  }

  private static let pieceSize = 1 << 16
  /// Bytes that are kept of a line that is too long.
  private static let sampleSize = 200

  private let descriptor: FileDescriptor
  private let separator: UInt8
  private let limit: Int
  private var buffer: [UInt8] = []
  private var position = 0
  /// Of a line that is too long and not yet read to its end.
  private var sample: [UInt8]?
  private var isAtEnd = false
  private var piece = [UInt8](repeating: 0, count: pieceSize)

  /// - Parameters:
  ///   - descriptor: Stays open.
  ///   - limit: Bytes that a line may have.
  public init(reading descriptor: FileDescriptor, separator: UInt8 = 0x0A, limit: Int) {
    self.descriptor = descriptor
    self.separator = separator
    self.limit = limit
  }

  /// - Parameter goesOn: Asked before each look for more input and, while there is none, ten times a second.
  /// - Returns: `nil` at the end, or when `goesOn` is false.
  public mutating func next(goesOn: () throws -> Bool = { true }) throws -> Line? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: separator) {
        let line = take(upTo: end)
        position = end + 1
        return line
      }
      if buffer.count - position > limit {
        sample = sample ?? Array(buffer[position...].prefix(Self.sampleSize))
        position = buffer.count
      }
      if isAtEnd {
        guard position < buffer.count || sample != nil else { return nil }
        return take(upTo: buffer.count)
      }
      guard try goesOn() else { return nil }
      buffer.removeFirst(position)
      position = 0
      searched = buffer.count
      try fill()
    }
  }

  private mutating func take(upTo end: Int) -> Line {
    let line = buffer[position..<end]
    position = end
    if let sample {
      self.sample = nil
      return .tooLong(sample)
    }
    return line.count > limit ? .tooLong(Array(line.prefix(Self.sampleSize))) : .text(Array(line))
  }

  /// Reads what there is, or nothing if nothing comes for a tenth of a second.
  private mutating func fill() throws {
    var ready = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 100) != 0 else { return }
    do {
      let count = try piece.withUnsafeMutableBytes { try unsafe descriptor.read(into: $0) }
      isAtEnd = count == 0
      buffer.append(contentsOf: piece[..<count])
    } catch Errno.resourceTemporarilyUnavailable {
      // Somebody has made the pipe non-blocking; the next look waits again.
    } catch {
      throw LineReadingError(reason: "\(error)")
    }
  }
}
