internal import Analysis
internal import LibraryScan
internal import Objects
internal import Platform

extension ScannedFile {
  /// Creates the entry for a fetched object. If the server does not send a modification time, the time is set to 1970.
  init(_ name: ObjectName, _ object: FetchedObject) {
    self.init(
      name, size: Int64(object.size), modified: object.version.modified ?? Timestamp(nanoseconds: 0),
      entityTag: object.version.entityTag)
  }

  /// Creates the entry for an object from its description in a listing or from a server.
  init(_ name: ObjectName, size: Int64, modified: Timestamp, entityTag: String?) {
    self.init(
      path: name.path, device: 0, inode: Self.number(ofEntityTag: entityTag), size: size, modified: modified,
      statusChanged: modified, linkCount: 1)
  }

  /// Returns a number to use in place of the inode: the XXH3 of the entity tag, without its quotes and `W/`; 0 if there
  /// is no tag. It changes when another object takes the name.
  static func number(ofEntityTag tag: String?) -> UInt64 {
    guard let tag else { return 0 }
    let text = (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]).replacing("\"", with: "")
    return text.isEmpty ? 0 : max(1, ContentID(hashing: Array(text.utf8)).low)
  }
}
