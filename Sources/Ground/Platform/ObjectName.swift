public import SystemPackage

/// The reason a text is not the name of an object.
public enum ObjectNameError: Error, Hashable, Sendable {
  case noHost
  case badHost
  case badBucket
  /// The URI ends where the file name would begin.
  case noFile
  /// A part between slashes is empty, `.` or `..`. Servers and clients interpret such parts differently.
  case badPart
  case badEscape
  case badUser

  /// One sentence that describes the error, without any part of the name, which may contain secrets.
  public var message: String {
    switch self {
    case .noHost: "The URI has no host."
    case .badHost: "The host of the URI has characters that no host name has; use Punycode for other scripts."
    case .badBucket: "The bucket of the URI has characters that no bucket name has."
    case .noFile: "The URI ends with a slash or names no object, so there is nothing to read."
    case .badPart: "A part of the path between slashes is empty, . or .., which servers interpret differently."
    case .badEscape: "The URI has a percent sign without two hexadecimal digits, or %00; a percent sign itself is %25."
    case .badUser: "The user or password in the URI has control characters."
    }
  }
}

/// The name of an object that is read through a server instead of the file system: `https:`, `http:`, `s3:` or `gs:`. A
/// name does not contain secrets; see `ObjectAddress`.
///
/// A name can be stored in a path, and thus be used wherever files are named: `s3:/bucket/Björk/a b.flac`. Such a path
/// is relative, so it cannot be that of a file in a library. Only ambiguous characters in it are percent-encoded.
/// `FilePath.uri` returns the URI.
public struct ObjectName: Hashable, Sendable {
  public enum Scheme: String, Hashable, Sendable, CaseIterable {
    case https, http, s3, gs

    /// `true` if names consist of a bucket and a key, without a query.
    public var hasBuckets: Bool { self == .s3 || self == .gs }
  }

  public let scheme: Scheme
  /// A host with its port, or a bucket.
  public let authority: String
  /// The percent-encoded path, without its first slash and without the query.
  public let encodedPath: String
  /// The path that represents the object.
  public let path: FilePath

  init(_ scheme: Scheme, _ authority: String, encodedPath: String, query: String) {
    self.scheme = scheme
    self.authority = authority
    self.encodedPath = encodedPath
    path = FilePath(
      bytes: Array("\(scheme.rawValue):/\(authority)/".utf8)
        + PercentEncoding.readable(Array((query.isEmpty ? encodedPath : "\(encodedPath)?\(query)").utf8)))
  }

  /// Creates the name of the object that a path represents; `nil` for the path of a file.
  public init?(_ path: FilePath) {
    guard path.isObject, let address = try? ObjectAddress(uri: Array(path.uri.utf8)) else { return nil }
    self = address.name
  }

  /// The object's key in its bucket, decoded.
  public var key: [UInt8] { PercentEncoding.decoded(Array(encodedPath.utf8)) ?? [] }

  /// The last part of the path, decoded, from which the file extension is taken.
  public var fileName: [UInt8] {
    let part = encodedPath.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
    return PercentEncoding.readable(Array(part))
  }

  /// Returns the scheme of a URI that names an object, whether in upper or lower case; `nil` for any other text.
  public static func scheme(of text: some Collection<UInt8>) -> Scheme? {
    let start = String(decoding: text.prefix(8), as: UTF8.self).lowercased()
    return Scheme.allCases.first { start.hasPrefix("\($0.rawValue)://") }
  }
}

/// The name of an object, with the secrets in its URI that are needed to read it.
public struct ObjectAddress: Hashable, Sendable {
  public let name: ObjectName
  /// The request target for `https:` and `http:`: everything after the host, as given in the URI.
  public let target: String
  /// `user:password`, decoded; `nil` if the URI contains no user.
  public let user: String?

  /// `true` if the URI contained more than the name.
  public var hasSecrets: Bool {
    user != nil || !name.scheme.hasBuckets && target.contains("?") && !name.path.uri.hasSuffix(target)
  }

  /// Returns the part of a malformed URI that can be shown: its host and path.
  public static func withoutSecrets(_ uri: [UInt8]) -> [UInt8] {
    guard let colon = uri.firstIndex(of: UInt8(ascii: ":")) else { return [] }
    let start = uri[...colon] + uri[(colon + 1)...].prefix(2)
    let rest = uri[start.count...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") }
    let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
    return Array(start + host + rest.dropFirst(authority.count))
  }

  /// Parses a URI. Unencoded bytes represent themselves, including `?` and `#` in bucket keys.
  public init(uri: some Collection<UInt8>) throws(ObjectNameError) {
    guard let scheme = ObjectName.scheme(of: uri) else { throw .noHost }
    let rest = Array(uri.dropFirst(scheme.rawValue.utf8.count + 3))
    let ends = Array((scheme.hasBuckets ? "/" : "/?#").utf8)
    let authority = rest.prefix { !ends.contains($0) }
    let after = Array(rest[authority.count...])
    if scheme.hasBuckets {
      try self.init(scheme, bucket: Array(authority), after)
    } else {
      try self.init(scheme, host: Array(authority), after)
    }
  }

  private init(_ scheme: ObjectName.Scheme, bucket: [UInt8], _ rest: [UInt8]) throws(ObjectNameError) {
    let bucket = String(decoding: bucket, as: UTF8.self)
    guard bucket.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9.\-_]{0,254}/) != nil else { throw .badBucket }
    guard let key = PercentEncoding.decoded(Array(rest.dropFirst())) else { throw .badEscape }
    guard !key.isEmpty, key.last != UInt8(ascii: "/") else { throw .noFile }
    name = ObjectName(scheme, bucket, encodedPath: try PercentEncoding.path(ofKey: key), query: "")
    target = ""
    user = nil
  }

  private init(_ scheme: ObjectName.Scheme, host: [UInt8], _ rest: [UInt8]) throws(ObjectNameError) {
    var host = host[...]
    var user: String?
    if let at = host.lastIndex(of: UInt8(ascii: "@")) {
      guard let decoded = PercentEncoding.decoded(Array(host[..<at])) else { throw .badEscape }
      guard !decoded.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .badUser }
      user = String(decoding: decoded, as: UTF8.self)
      host = host[(at + 1)...]
    }
    let name = String(decoding: host, as: UTF8.self).lowercased()
    guard !name.isEmpty else { throw .noHost }
    guard name.wholeMatch(of: /([a-z0-9.\-_]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?/) != nil else { throw .badHost }

    let whole = rest.prefix { $0 != UInt8(ascii: "#") }
    let path = whole.prefix { $0 != UInt8(ascii: "?") }
    let query = whole.dropFirst(path.count + 1)
    guard let normal = PercentEncoding.normal(Array(path.dropFirst())),
      let encodedQuery = PercentEncoding.normal(Array(query))
    else { throw .badEscape }
    let parts = normal.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard let last = parts.last, !last.isEmpty else { throw .noFile }
    for part in parts where part.isEmpty || part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8) {
      throw .badPart
    }
    self.name = ObjectName(scheme, name, encodedPath: normal, query: SecretQuery.removed(from: encodedQuery))
    // A signature covers the URI as written, so only characters that no request may contain are encoded.
    target = PercentEncoding.sendable(Array(whole))
    self.user = user
  }
}

extension FilePath {
  /// `true` if this is the name of an object (`ObjectName`), which no file can have.
  public var isObject: Bool { withBytes { Self.isObject($0) } }

  static func isObject(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, first != UInt8(ascii: "/") else { return false }
    return ObjectName.Scheme.allCases.contains { bytes.starts(with: "\($0.rawValue):/".utf8) }
  }

  /// The URI of the file, or of the object.
  public var uri: String {
    guard isObject else { return "file://" + percentEncoded }
    let bytes = bytes
    let start = bytes.prefix { $0 != UInt8(ascii: "/") }
    return String(decoding: start, as: UTF8.self) + "/" + PercentEncoding.sendable(Array(bytes[start.count...]))
  }
}
