public import Platform

/// An object in the listing of a bucket.
public struct ListedObject: Hashable, Sendable {
  public var encodedKey: String
  public var size: Int64
  public var modified: Timestamp
  public var entityTag: String?
}

/// A page of the objects in a bucket. It is a response from S3's ListObjectsV2, in XML, with percent-encoded keys.
struct ListingPage: Hashable {
  private(set) var objects: [ListedObject] = []
  /// Token for the next page; `nil` on the last page.
  private(set) var continuation: String?

  /// - Returns: `nil` if the text is incomplete, or is not such a response.
  init?(_ xml: [UInt8]) {
    var names: [String] = []
    var text: [UInt8] = []
    var values: [String: String] = [:]
    var isTruncated = false
    var isWhole = false
    var rest = xml[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")), let end = rest[start...].firstIndex(of: UInt8(ascii: ">"))
    {
      text = Array(rest[..<start])
      let tag = String(decoding: rest[(start + 1)..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      if tag.hasPrefix("?") || tag.hasPrefix("!") { continue }
      guard tag.hasPrefix("/") else {
        if tag.hasSuffix("/") { continue }
        names.append(String(tag.prefix { !$0.isWhitespace }))
        if names == Self.object { values = [:] }
        continue
      }
      guard names.last == String(tag.dropFirst()) else { return nil }
      if names.dropLast() == Self.object[...] { values[names[2]] = Self.unescaped(text) }
      if names == Self.object {
        guard let object = ListedObject(values) else { return nil }
        objects.append(object)
      }
      if names == [Self.object[0], "IsTruncated"] { isTruncated = Self.unescaped(text) == "true" }
      if names == [Self.object[0], "NextContinuationToken"] { continuation = Self.unescaped(text) }
      names.removeLast()
      if names.isEmpty { isWhole = tag == "/" + Self.object[0] }
    }
    guard isWhole else { return nil }
    if isTruncated, continuation == nil { return nil }
    if !isTruncated { continuation = nil }
  }

  private static let object = ["ListBucketResult", "Contents"]

  private static func unescaped(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).replacing(/&(#?)([A-Za-z0-9]+);/) { match in
      let name = match.2
      if match.1.isEmpty {
        return ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][String(name)] ?? String(match.0)
      }
      let number = name.hasPrefix("x") ? UInt32(name.dropFirst(), radix: 16) : UInt32(name)
      return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? String(match.0)
    }
  }
}

extension ListedObject {
  /// - Parameter values: The texts of the elements, by name.
  fileprivate init?(_ values: [String: String]) {
    guard let key = values["Key"], let size = values["Size"].flatMap({ Int64($0) }),
      let modified = values["LastModified"].flatMap({ Timestamp(rfc3339: $0) })
    else { return nil }
    // Some object stores encode a space as a plus sign.
    let encoded = key.replacing("+", with: "%20")
    self.init(encodedKey: encoded, size: size, modified: modified, entityTag: values["ETag"])
  }
}
