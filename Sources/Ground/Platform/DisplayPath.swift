public import SystemPackage

/// Converts paths to text and back. File names are bytes: valid UTF-8 is shown unchanged, and any other byte as `\xE9`
/// (two upper-case hexadecimal digits). A backslash that would look like the start of such an escape is written as
/// `\x5C`, so the exact bytes can be restored. Object names keep both slashes of their URI.
public enum DisplayPath {
  public static func text(of path: FilePath) -> String {
    path.withBytes { bytes in
      let shown = text(of: bytes)
      guard FilePath.isObject(bytes), let slash = shown.firstIndex(of: "/") else { return shown }
      return shown[..<slash] + "/" + shown[slash...]
    }
  }

  public static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    if let text = unsafe String(validating: bytes, as: UTF8.self), !containsEscape(bytes) { return text }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(bytes.count + 16)
    var index = 0
    while index < bytes.count {
      let length = lengthOfCharacter(in: bytes, at: index)
      if length == 0 || isEscape(in: bytes, at: index) {
        escaped += [backslash, UInt8(ascii: "x"), hexDigits[Int(bytes[index] >> 4)], hexDigits[Int(bytes[index] & 15)]]
        index += 1
      } else {
        for offset in index..<index + length { escaped.append(bytes[offset]) }
        index += length
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  /// Reverses `text(of:)`.
  public static func path(from text: String) -> FilePath {
    let escaped = Array(text.utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(escaped.count)
    escaped.withUnsafeBufferPointer { escaped in
      var index = 0
      while index < escaped.count {
        if isEscape(in: escaped, at: index), let high = hexDigits.firstIndex(of: escaped[index + 2]),
          let low = hexDigits.firstIndex(of: escaped[index + 3])
        {
          bytes.append(UInt8(high << 4 | low))
          index += 4
        } else {
          bytes.append(escaped[index])
          index += 1
        }
      }
    }
    return FilePath(bytes: bytes)
  }

  private static let backslash = UInt8(ascii: "\\")
  static let hexDigits = Array("0123456789ABCDEF".utf8)

  private static func containsEscape(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    for index in bytes.indices where bytes[index] == backslash && isEscape(in: bytes, at: index) { return true }
    return false
  }

  private static func isEscape(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    index + 3 < bytes.count && bytes[index] == backslash && bytes[index + 1] == UInt8(ascii: "x")
      && hexDigits.contains(bytes[index + 2]) && hexDigits.contains(bytes[index + 3])
  }

  /// Returns the length in bytes of the valid UTF-8 sequence that starts at `index`, or 0 if there is none (Unicode 15,
  /// table 3-7).
  private static func lengthOfCharacter(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    let first = bytes[index]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return 0
    }
    guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return 0 }
    for offset in index + 2..<index + length where bytes[offset] & 0xC0 != 0x80 { return 0 }
    return length
  }
}

extension FilePath {
  public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try withPlatformString { characters in
      var count = 0
      while unsafe characters[count] != 0 { count += 1 }
      return try unsafe UnsafeRawBufferPointer(start: characters, count: count).withMemoryRebound(to: UInt8.self) {
        unsafe try body($0)
      }
    }
  }

  public var bytes: [UInt8] { withBytes { Array($0) } }

  /// Creates a path from bytes, leaving out zeros, which paths cannot contain.
  public init(bytes: some Collection<UInt8>) {
    var characters = [CInterop.PlatformChar]()
    characters.reserveCapacity(bytes.count + 1)
    for byte in bytes where byte != 0 { characters.append(CInterop.PlatformChar(bitPattern: byte)) }
    characters.append(0)
    self = characters.withUnsafeBufferPointer { characters in
      guard let start = characters.baseAddress else { return FilePath() }
      return unsafe FilePath(platformString: start)
    }
  }
}
