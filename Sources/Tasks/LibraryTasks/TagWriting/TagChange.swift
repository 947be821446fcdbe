internal import Analysis
package import SystemPackage
package import TagWriting

/// An item of a tag that is given another value.
package struct TagChange: Hashable, Codable, Sendable {
  /// The canonical name of the tag.
  package var field: String
  package var tag: String
  package var key: String
  /// Empty if the item was not there.
  package var before: [String]
  /// Empty if it is taken out.
  package var after: [String]

  package init(field: String, tag: String, key: String, before: [String], after: [String]) {
    self.field = field
    self.tag = tag
    self.key = key
    self.before = before
    self.after = after
  }
}

/// The result for the tags of a file.
package struct TaggingResult: Sendable {
  package enum Status: String, CaseIterable, Sendable {
    case written
    /// A dry run would have written them.
    case planned
    /// The tags say it already.
    case unchanged
    /// The tags say something else, which was kept.
    case kept
    /// There is nothing to write.
    case nothing
    /// The file could not, or may not, be changed.
    case failed
  }

  /// Something that was not found, or not measured.
  package struct Gap: Hashable, Sendable {
    package var field: String
    /// One sentence.
    package var reason: String
  }

  package var path: FilePath
  package var status: Status
  package var changes: [TagChange] = []
  /// The changes not made: the tags' value in `before` was kept, the finding is in `after`.
  package var kept: [TagChange] = []
  package var gaps: [Gap] = []
  package var problem: TagWriteError?

  init(_ path: FilePath, _ status: Status) {
    self.path = path
    self.status = status
  }
}
