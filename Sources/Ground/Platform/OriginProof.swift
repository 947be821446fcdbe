public import SystemPackage

/// A proof that Nocturne has written a file.
public struct OriginProof: Sendable {
  /// The objection to a file without the proof: text that completes “it …”.
  let objection: String
  private let holds: @Sendable (FilePath) -> Bool

  /// - Parameter objection: Text that completes “it …”, for example `has no cursor beside it`.
  public init(orElse objection: String, _ holds: @escaping @Sendable (FilePath) -> Bool) {
    self.objection = objection
    self.holds = holds
  }

  func isGiven(by file: FilePath) -> Bool { holds(file) }

  /// Number of bytes searched for marks at each end of a file.
  private static let searchedSize = 64 << 10

  /// Proof by content: the file begins with the given text, and each of the marks occurs near its beginning or end, in
  /// UTF-8 or UTF-16.
  public static func text(beginning: String = "", marks: [String] = []) -> OriginProof {
    OriginProof(orElse: "has no mark of Nocturne") { path in
      guard let (head, tail) = try? ends(of: path) else { return false }
      return head.starts(with: beginning.utf8)
        && marks.allSatisfy { mark in
          let forms = [Array(mark.utf8), utf16(mark, isBigEndian: false), utf16(mark, isBigEndian: true)]
          return forms.contains { form in contains(form, in: head) || contains(form, in: tail) }
        }
    }
  }

  /// Proof by a condition on the first bytes of the file.
  public static func head(
    orElse objection: String, _ isOurs: @escaping @Sendable ([UInt8]) -> Bool
  ) -> OriginProof {
    OriginProof(orElse: objection) { path in
      (try? ends(of: path)).map { isOurs($0.head) } ?? false
    }
  }

  private static func ends(of path: FilePath) throws -> (head: [UInt8], tail: [UInt8]) {
    let file = try FileDescriptor.openWithoutWaiting(path)
    return try file.closeAfter {
      let size = try file.seek(offset: 0, from: .end)
      let tail = max(Int64(searchedSize), size - Int64(searchedSize))
      return (try read(file, from: 0), tail < size ? try read(file, from: tail) : [])
    }
  }

  private static func read(_ file: FileDescriptor, from start: Int64) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: searchedSize)
    var count = 0
    while count < bytes.count {
      let got = try bytes.withUnsafeMutableBytes {
        try unsafe file.read(
          fromAbsoluteOffset: start + Int64(count), into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
      }
      if got == 0 { break }
      count += got
    }
    return Array(bytes[..<count])
  }

  private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
      isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)]
    }
  }

  private static func contains(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    guard bytes.count >= part.count else { return false }
    for start in 0...bytes.count - part.count where bytes[start] == first {
      if bytes[start..<start + part.count].elementsEqual(part) { return true }
    }
    return false
  }
}
