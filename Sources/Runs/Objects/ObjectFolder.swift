public import Platform
public import SystemPackage

/// All objects in a bucket, or all objects below a prefix, treated as a folder: `s3://bucket`, `s3://bucket/albums/`.
public struct ObjectFolder: Hashable, Sendable {
  public let scheme: ObjectName.Scheme
  public let bucket: String
  /// The bytes of the prefix, without trailing slashes; empty for the whole bucket.
  public let key: [UInt8]
  public let path: FilePath

  /// - Throws: `ObjectNameError`, for example for schemes without buckets, because their servers have no listings.
  public init(uri: some Collection<UInt8>) throws(ObjectNameError) {
    guard let scheme = ObjectName.scheme(of: uri), scheme.hasBuckets else { throw .noFile }
    var text = Array(uri)
    while text.last == UInt8(ascii: "/") { text.removeLast() }
    // A name below the folder is parsed, so that a bucket without a key is valid.
    let inside = try ObjectAddress(uri: text + Array("/x".utf8)).name
    self.scheme = scheme
    bucket = inside.authority
    key = inside.key.dropLast(inside.key.count == 1 ? 1 : 2)
    path = inside.path.removingLastComponent()
  }

  /// Returns the name of an object in the bucket.
  /// - Throws: `ObjectNameError`: `.noFile` for a key that ends with a slash, which some programs use to represent
  ///   folders.
  public func name(ofEncodedKey key: String) throws(ObjectNameError) -> ObjectName {
    try ObjectAddress(uri: Array("\(scheme.rawValue)://\(bucket)/\(key)".utf8)).name
  }

  /// Returns whether an object has the same name as this folder.
  func isName(_ encodedKey: String) -> Bool { (try? name(ofEncodedKey: encodedKey))?.key == key }

  /// Returns `nil` if the path names neither a bucket nor a folder in one.
  public init?(_ path: FilePath) {
    guard path.isObject, let folder = try? ObjectFolder(uri: Array(path.uri.utf8)) else { return nil }
    self = folder
  }
}
