public import Platform

/// The version of an object, as its server describes it.
public struct ObjectVersion: Hashable, Sendable {
  /// The entity tag as sent by the server: `"…"`, with the prefix `W/` if equal tags do not guarantee equal bytes.
  public var entityTag: String?
  /// Size in bytes; `nil` if the server does not state it.
  public var size: Int?
  public var modified: Timestamp?

  init(_ head: ResponseHead) {
    entityTag = head["etag"].flatMap { $0.isEmpty ? nil : $0 }
    size = head.status == 206 ? Self.range(of: head)?.total : head["content-length"].flatMap { Int($0) }
    modified = head["last-modified"].flatMap(HTTPDate.seconds).map { Timestamp(seconds: $0, nanoseconds: 0) }
  }

  /// The entity tag, if it guarantees equal bytes and so can be used in conditional requests; otherwise `nil`.
  var strongTag: String? { entityTag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }

  /// Returns whether another response may contain the same bytes, judging by the two versions.
  func isSame(as other: ObjectVersion) -> Bool {
    func agree<Value: Equatable>(_ a: Value?, _ b: Value?) -> Bool { a == nil || b == nil || a == b }
    guard agree(size, other.size) else { return false }
    if let entityTag, let otherTag = other.entityTag { return entityTag == otherTag }
    return agree(modified, other.modified)
  }

  /// Returns the byte offset of a range and the size of the whole object; `nil` without a valid `Content-Range` header.
  static func range(of head: ResponseHead) -> (start: Int, total: Int)? {
    guard let match = head["content-range"]?.firstMatch(of: /^bytes ([0-9]{1,18})-[0-9]{1,18}\/([0-9]{1,18})$/),
      let start = Int(match.1), let total = Int(match.2)
    else { return nil }
    return (start, total)
  }
}
