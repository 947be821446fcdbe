internal import Platform
public import SystemPackage

/// Reads a list of paths, as written by `find` and `find -print0`. The list is read in pieces, so it need not fit into
/// memory.
///
/// Paths are bytes. In lists with newline separators, nothing is trimmed (a path may end in a space or a carriage
/// return), and empty lines are ignored. A path that contains a newline requires NUL separators.
public struct PathList: ~Copyable {
  public enum Separator: UInt8, Sendable {
    case newline = 0x0A
    case null = 0
  }

  /// Maximum length of an entry in bytes. A longer one cannot be a path, so the input is some other kind of file.
  private static let entryLimit = 1 << 16
  private static let bufferSize = 1 << 16

  private let descriptor: FileDescriptor
  private let closesDescriptor: Bool
  private let separator: Separator
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  private var entryNumber = 0

  /// Reads from standard input, or any other open descriptor, which is not closed.
  public init(reading descriptor: FileDescriptor, separator: Separator) {
    self.descriptor = descriptor
    self.separator = separator
    closesDescriptor = false
  }

  public init(at path: FilePath, separator: Separator) throws(ScanError) {
    if path.fileKind == .folder {
      throw ScanError("the list of files \(path) is a folder; name a file with a path in each line")
    }
    do {
      descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
    } catch {
      throw ScanError("cannot open the list of files \(path): \(error)")
    }
    self.separator = separator
    closesDescriptor = true
  }

  deinit {
    if closesDescriptor { try? descriptor.close() }
  }

  /// Returns the next path as written in the list, relative or absolute; `nil` at the end.
  public mutating func next() throws(ScanError) -> FilePath? {
    while let entry = try nextEntry() {
      entryNumber += 1
      if entry.isEmpty { continue }
      if entry.contains(0) {
        throw ScanError(
          "line \(entryNumber) of the list of files contains a NUL byte; if it was written with -print0, add --from0")
      }
      return (entry + [0]).withUnsafeBytes { bytes in
        unsafe bytes.baseAddress.map { unsafe FilePath(platformString: $0.assumingMemoryBound(to: CChar.self)) }
      }
    }
    return nil
  }

  private mutating func nextEntry() throws(ScanError) -> ArraySlice<UInt8>? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: separator.rawValue) {
        defer { position = end + 1 }
        return buffer[position..<end]
      }
      if isAtEnd {
        defer { position = buffer.count }
        return position < buffer.count ? buffer[position...] : nil
      }
      guard buffer.count - position <= Self.entryLimit else {
        throw ScanError(
          """
          entry \(entryNumber + 1) of the list of files is longer than \(Self.entryLimit) bytes, too long for a path; \
          \(separator == .null ? "if the list has one path per line, leave out --from0" : "is this a list of paths?")
          """)
      }
      searched = try fill()
    }
  }

  /// Reads more input, which is placed after the unused bytes. Returns the position of the first new byte.
  private mutating func fill() throws(ScanError) -> Int {
    buffer.removeFirst(position)
    position = 0
    let firstNew = buffer.count
    var piece = [UInt8](repeating: 0, count: Self.bufferSize)
    let count: Int
    do {
      count = try piece.withUnsafeMutableBytes { try unsafe descriptor.read(into: $0) }
    } catch {
      throw ScanError("cannot read the rest of the list of files: \(error)")
    }
    isAtEnd = count == 0
    buffer.append(contentsOf: piece[..<count])
    return firstNew
  }
}
