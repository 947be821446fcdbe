internal import Glibc
public import SystemPackage

/// A failure to read the input. Data read before the failure is valid.
public struct LineReadingError: Error, Hashable, Sendable, CustomStringConvertible {
  public var reason: String

  public init(reason: String) {
    self.reason = reason
  }

  public var description: String { "cannot read the rest of the input: \(reason)" }
}

/// Reads lines from a file or pipe as they arrive, in constant memory.
public struct LineReader: ~Copyable {
  public enum Line: Hashable, Sendable {
    /// The line without its separator. The last line may lack one.
    case text([UInt8])
    /// The first bytes of a line that is longer than allowed.
    case tooLong([UInt8])
  }

  private static let pieceSize = 1 << 16
  /// Number of bytes kept of an overlong line.
  private static let sampleSize = 200

  private let descriptor: FileDescriptor
  private let separator: UInt8
  private let limit: Int
  private var buffer: [UInt8] = []
  private var position = 0
  /// The start of an overlong line whose end has not been read yet.
  private var sample: [UInt8]?
  private var isAtEnd = false
  private var piece = [UInt8](repeating: 0, count: pieceSize)

  /// - Parameters:
  ///   - descriptor: The input, which stays open.
  ///   - limit: Maximum line length in bytes.
  public init(reading descriptor: FileDescriptor, separator: UInt8 = 0x0A, limit: Int) {
    self.descriptor = descriptor
    self.separator = separator
    self.limit = limit
  }

  /// - Parameter shouldContinue: Called before each read, and ten times a second while no input arrives.
  /// - Returns: `nil` at the end, or if `shouldContinue` returns `false`.
  public mutating func next(shouldContinue: () throws -> Bool = { true }) throws -> Line? {
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
      guard try shouldContinue() else { return nil }
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

  /// Reads the available data. Returns without data if none has arrived after a tenth of a second.
  private mutating func fill() throws {
    var ready = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 100) != 0 else { return }
    do {
      let count = try piece.withUnsafeMutableBytes { try unsafe descriptor.read(into: $0) }
      isAtEnd = count == 0
      buffer.append(contentsOf: piece[..<count])
    } catch Errno.resourceTemporarilyUnavailable {
      // The pipe is nonblocking, and no data has arrived; the next call waits again.
    } catch {
      throw LineReadingError(reason: "\(error)")
    }
  }
}
