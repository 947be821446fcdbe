public import Platform

/// What a server says of the bytes that have a name now.
public struct ObjectVersion: Hashable, Sendable {
  /// As the server wrote it: `"…"`, with `W/` before it if equal tags need not mean equal bytes.
  public var entityTag: String?
  /// In bytes; `nil` if the server does not say.
  public var size: Int?
  public var modified: Timestamp?

  init(_ head: AnswerHead) {
    entityTag = head["etag"].flatMap { $0.isEmpty ? nil : $0 }
    size = head.status == 206 ? Self.range(of: head)?.total : head["content-length"].flatMap { Int($0) }
    modified = head["last-modified"].flatMap(HTTPDate.seconds).map { Timestamp(seconds: $0, nanoseconds: 0) }
  }

  /// A tag that a request can insist on.
  var strongTag: String? { entityTag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }

  /// Whether another answer may be about the same bytes, as far as both say.
  func isSame(as other: ObjectVersion) -> Bool {
    func agree<Value: Equatable>(_ a: Value?, _ b: Value?) -> Bool { a == nil || b == nil || a == b }
    guard agree(size, other.size) else { return false }
    if let entityTag, let otherTag = other.entityTag { return entityTag == otherTag }
    return agree(modified, other.modified)
  }

  /// The first byte of a part, and the length of the whole.
  static func range(of head: AnswerHead) -> (start: Int, total: Int)? {
    guard let match = head["content-range"]?.firstMatch(of: /^bytes ([0-9]{1,18})-[0-9]{1,18}\/([0-9]{1,18})$/),
      let start = Int(match.1), let total = Int(match.2)
    else { return nil }
    return (start, total)
  }
}
