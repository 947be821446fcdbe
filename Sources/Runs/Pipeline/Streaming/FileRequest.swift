public import Platform
public import SystemPackage
internal import Text

/// One line of input for `analyze worker`. It is a path, the URI of a file or an object, or a JSON object that contains
/// a key and either a path or a URI.
public struct FileRequest: Hashable, Sendable {
  public enum Target: Hashable, Sendable {
    case file(FilePath)
    case object(ObjectAddress)
  }

  /// Identifies the answer. If the line does not contain a key, this is its path or URI, without the secrets of a URI.
  public var key: String
  /// The bytes of the key, which are not necessarily valid UTF-8. They determine the shard.
  public var keyBytes: [UInt8]
  public var target: Result<Target, Refusal>

  /// The reason a line does not name a file.
  public struct Refusal: Error, Hashable, Sendable {
    /// An identifier in snake_case.
    public var code: String
    /// A single sentence.
    public var message: String
  }

  /// - Parameter workingFolder: The base of relative paths.
  public init(line: [UInt8], workingFolder: FilePath) {
    if line.first == UInt8(ascii: "{") {
      self.init(json: line, workingFolder)
    } else {
      let target = Self.target(of: line, workingFolder)
      let key = Self.withoutSecrets(line, target)
      self.init(key: Self.text(key), keyBytes: key, target: target)
    }
  }

  /// Creates a request for a line that is too long to read.
  public init(tooLong sample: [UInt8]) {
    self.init(
      key: Self.text(sample), keyBytes: sample,
      target: .failure(
        Refusal(code: "line_too_long", message: "The line is longer than any path; key is its beginning.")))
  }

  private init(key: String, keyBytes: [UInt8], target: Result<Target, Refusal>) {
    self.key = key
    self.keyBytes = keyBytes
    self.target = target
  }

  private init(json line: [UInt8], _ workingFolder: FilePath) {
    func refused(_ message: String, key: [UInt8]? = nil) -> FileRequest {
      let key = key ?? line
      return FileRequest(
        key: Self.text(key), keyBytes: key, target: .failure(Refusal(code: "bad_line", message: message)))
    }
    let value: JSONValue
    do {
      value = try JSONValue(parsing: line)
    } catch {
      self = refused("A line that begins with { must be a JSON object: \(error).")
      return
    }
    guard case .object(let members) = value else {
      self = refused("The line is JSON, but not an object.")
      return
    }
    var key: [UInt8]?
    switch members["key"] {
    case .string(let text): key = Array(text.utf8)
    case nil: break
    default:
      self = refused("The key of the line must be text.")
      return
    }
    switch (members["path"], members["uri"]) {
    case (.string(let path), nil):
      let bytes = Array(path.utf8)
      self.init(key: Self.text(key ?? bytes), keyBytes: key ?? bytes, target: Self.target(ofPath: bytes, workingFolder))
    case (nil, .string(let uri)):
      let bytes = Array(uri.utf8)
      let target: Result<Target, Refusal> =
        Self.scheme(of: bytes) == nil
        ? .failure(Refusal(code: "bad_uri", message: "The uri of the line has no scheme; use file:///…, or path."))
        : Self.target(of: bytes, workingFolder)
      let key = key ?? Self.withoutSecrets(bytes, target)
      self.init(key: Self.text(key), keyBytes: key, target: target)
    default:
      self = refused("The line must have either path or uri, and that must be text.", key: key)
    }
  }

  private static func target(of line: [UInt8], _ workingFolder: FilePath) -> Result<Target, Refusal> {
    guard let scheme = scheme(of: line) else { return target(ofPath: line, workingFolder) }
    if ObjectName.Scheme(rawValue: scheme) != nil {
      do {
        return .success(.object(try ObjectAddress(uri: line)))
      } catch {
        return .failure(Refusal(code: "bad_uri", message: error.message))
      }
    }
    guard scheme == "file" else {
      return .failure(
        Refusal(
          code: "unsupported_scheme", message: "The scheme \(scheme) is not supported; use https, http, s3 or gs."))
    }
    do {
      return .success(.file(try FilePath(fileURI: line).lexicallyNormalized()))
    } catch {
      return .failure(Refusal(code: "bad_uri", message: error.message))
    }
  }

  private static func target(ofPath bytes: [UInt8], _ workingFolder: FilePath) -> Result<Target, Refusal> {
    if bytes.isEmpty { return .failure(Refusal(code: "empty_line", message: "The line is empty.")) }
    if bytes.contains(0) {
      return .failure(
        Refusal(code: "bad_line", message: "The path contains a NUL byte; a list from find -print0 needs --from0."))
    }
    let path = FilePath(bytes: bytes)
    return .success(.file((path.isAbsolute ? path : workingFolder.pushing(path)).lexicallyNormalized()))
  }

  /// Returns the key for a line that does not contain one. Passwords and signatures are removed, because they are meant
  /// only for the server.
  private static func withoutSecrets(_ line: [UInt8], _ target: Result<Target, Refusal>) -> [UInt8] {
    switch target {
    case .success(.object(let address)) where address.hasSecrets: Array(address.name.path.uri.utf8)
    case .failure where ObjectName.scheme(of: line) != nil: ObjectAddress.withoutSecrets(line)
    default: line
    }
  }

  /// Returns the scheme in lower case: `file` for `file:/a`, `s3` for `s3://a`. Text without two slashes after its
  /// colon is a name that contains a colon, unless it starts with `file:/`.
  private static func scheme(of text: [UInt8]) -> String? {
    guard let colon = text.prefix(32).firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
    let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
    guard name.wholeMatch(of: /[a-z][a-z0-9+.\-]*/) != nil else { return nil }
    let rest = text[(colon + 1)...]
    return rest.starts(with: "//".utf8) || (name == "file" && rest.first == UInt8(ascii: "/")) ? name : nil
  }

  private static func text(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBufferPointer { unsafe DisplayPath.text(of: $0) }
  }
}
