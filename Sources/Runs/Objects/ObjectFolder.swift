public import Platform
public import SystemPackage

/// All objects of a bucket, or those below a name in it, as if that were a folder: `s3://bucket`, `s3://bucket/albums/`.
public struct ObjectFolder: Hashable, Sendable {
  public let scheme: ObjectName.Scheme
  public let bucket: String
  /// The bytes of the name, without slashes at its end; empty for the whole bucket.
  public let key: [UInt8]
  public let path: FilePath

  /// - Throws: `ObjectNameError`, also for schemes without buckets, whose servers do not list.
  public init(uri: some Collection<UInt8>) throws(ObjectNameError) {
    guard let scheme = ObjectName.scheme(of: uri), scheme.hasBuckets else { throw .noFile }
    var text = Array(uri)
    while text.last == UInt8(ascii: "/") { text.removeLast() }
    // Something below the folder, so a bucket alone is a name.
    let inside = try ObjectAddress(uri: text + Array("/x".utf8)).name
    self.scheme = scheme
    bucket = inside.authority
    key = inside.key.dropLast(inside.key.count == 1 ? 1 : 2)
    path = inside.path.removingLastComponent()
  }

  /// The name of an object in the bucket.
  /// - Throws: `ObjectNameError`: `.noFile` for a key that ends with a slash, as programs make them to show folders.
  public func name(ofEncodedKey key: String) throws(ObjectNameError) -> ObjectName {
    try ObjectAddress(uri: Array("\(scheme.rawValue)://\(bucket)/\(key)".utf8)).name
  }

  /// Whether an object has the name of this folder.
  func isName(_ encodedKey: String) -> Bool { (try? name(ofEncodedKey: encodedKey))?.key == key }

  /// The folder that a path holds.
  public init?(_ path: FilePath) {
    guard path.isObject, let folder = try? ObjectFolder(uri: Array(path.uri.utf8)) else { return nil }
    self = folder
  }
}
