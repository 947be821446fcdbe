internal import Analysis
package import SystemPackage
package import TagWriting

/// A change to the values of a tag item.
package struct TagChange: Hashable, Codable, Sendable {
  /// Canonical name of the tag.
  package var field: String
  package var tag: String
  package var key: String
  /// The values before; empty if the item did not exist.
  package var before: [String]
  /// The values after; empty if the item is removed.
  package var after: [String]

  package init(field: String, tag: String, key: String, before: [String], after: [String]) {
    self.field = field
    self.tag = tag
    self.key = key
    self.before = before
    self.after = after
  }
}

/// The outcome of writing tags to a file.
package struct TaggingResult: Sendable {
  package enum Status: String, CaseIterable, Sendable {
    case written
    /// The tags would be written, but were not, because of a dry run.
    case planned
    /// The tags already have these values.
    case unchanged
    /// The tags have different values, and these were kept.
    case kept
    /// There is nothing to write.
    case nothing
    /// The file could not or must not be changed.
    case failed
  }

  /// A field without a value to write.
  package struct Gap: Hashable, Sendable {
    package var field: String
    /// The reason, in one sentence.
    package var reason: String
  }

  package var path: FilePath
  package var status: Status
  package var changes: [TagChange] = []
  /// Changes that were not made: the values in `before` were kept, and those in `after` were not written.
  package var kept: [TagChange] = []
  package var gaps: [Gap] = []
  package var problem: TagWriteError?

  init(_ path: FilePath, _ status: Status) {
    self.path = path
    self.status = status
  }
}
