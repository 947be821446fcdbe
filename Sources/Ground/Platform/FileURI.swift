public import SystemPackage

/// The reason a text is not the URI of a file on this machine.
public enum FileURIError: Error, Hashable, Sendable {
  /// The URI names another machine.
  case otherHost(String)
  case notAbsolute
  /// There is a percent sign without two hexadecimal digits, or a zero byte.
  case badEscape

  /// One sentence that describes the error.
  public var message: String {
    switch self {
    case .otherHost(let host): "The URI names a file on the host \(host); only files on this machine can be read."
    case .notAbsolute: "The path of the URI does not begin with a slash."
    case .badEscape: "The URI has a percent sign without two hexadecimal digits, or %00; a percent sign itself is %25."
    }
  }
}

extension FilePath {
  /// Parses a file URI (RFC 8089) with or without a host: `file:///a`, `file://localhost/a`, `file:/a`. Unencoded bytes
  /// represent themselves, including `?` and `#`.
  ///
  /// - Parameter text: A text that starts with `file:`, in upper or lower case.
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
    guard let bytes = PercentEncoding.decoded(Array(rest)) else { throw .badEscape }
    self.init(bytes: bytes)
  }

  /// The path, percent-encoded except for unreserved characters (RFC 3986) and slashes.
  public var percentEncoded: String { withBytes { Self.percentEncoded($0) } }

  /// Percent-encodes the bytes of a path like the property `percentEncoded`.
  public static func percentEncoded(_ bytes: some Collection<UInt8>) -> String {
    PercentEncoding.encoded(bytes, plain: .path)
  }
}
