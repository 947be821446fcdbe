public import SystemPackage

/// Why a text is not the URI of a file on this machine.
public enum FileURIError: Error, Hashable, Sendable {
  /// It names another machine.
  case otherHost(String)
  case notAbsolute
  /// A percent sign without two hexadecimal digits, or a zero byte.
  case badEscape

  /// One sentence.
  public var message: String {
    switch self {
    case .otherHost(let host): "The URI is of a file on the host \(host); only files of this machine can be read."
    case .notAbsolute: "The path of the URI does not begin with a slash."
    case .badEscape: "The URI has a percent sign without two hexadecimal digits, or %00; a percent sign itself is %25."
    }
  }
}

extension FilePath {
  /// The path of a URI (RFC 8089) with or without a host: `file:///a`, `file://localhost/a`, `file:/a`. Bytes that
  /// should have been percent-encoded but were not stand for themselves, including `?` and `#`.
  ///
  /// - Parameter text: Starts with `file:`, in upper or lower case.
  public init(fileURI text: some Collection<UInt8>) throws(FileURIError) {
    var rest = Array(text)[5...]
    if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
      let host = rest.prefix { $0 != UInt8(ascii: "/") }
      let name = String(decoding: host, as: UTF8.self)
      guard name.isEmpty || name.lowercased() == "localhost" else { throw .otherHost(name) }
      rest = rest.dropFirst(host.count)
    }
    guard rest.first == UInt8(ascii: "/") else { throw .notAbsolute }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Self.hexDigit), let low = rest.popFirst().flatMap(Self.hexDigit),
        high << 4 | low != 0
      else { throw .badEscape }
      bytes.append(high << 4 | low)
    }
    self.init(bytes: bytes)
  }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

extension FilePath {
  /// The bytes of the path, percent-encoded except unreserved characters (RFC 3986) and slashes.
  public var percentEncoded: String { withBytes { Self.percentEncoded($0) } }

  /// The same of the bytes of a path, as they are.
  public static func percentEncoded(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + 16)
    for byte in bytes {
      if isUnreserved[Int(byte)] {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), DisplayPath.hexDigits[Int(byte >> 4)], DisplayPath.hexDigits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static let isUnreserved: [Bool] = {
    let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    return (0...255).map { unreserved.contains(UInt8($0)) }
  }()
}
