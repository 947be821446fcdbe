internal import Analysis
internal import LibraryStore
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage
internal import Text

/// Stores a person's decisions about duplicates among the files of a library.
package struct DuplicateDecisionWriter {
  /// The reason no decision was stored.
  package enum DecisionError: Error, CustomStringConvertible {
    /// The file has no content id for which a decision could be stored.
    case noAudio(FilePath)
    /// Both files have the same content id, so they cannot be told apart.
    case sameAudio(FilePath, FilePath)

    package var description: String {
      switch self {
      case .noAudio(let path):
        "The audio of \(printable(DisplayPath.text(of: path))) is not known, since it could not be read. Nothing was set."
      case .sameAudio(let one, let other):
        "\(printable(DisplayPath.text(of: one))) and \(printable(DisplayPath.text(of: other))) hold the same audio, byte for "
          + "byte. Nothing was set."
      }
    }
  }

  private let store: ResultStore

  package init(in store: ResultStore) { self.store = store }

  /// Records that files are not duplicates of each other.
  /// - Returns: The number of new decisions.
  /// - Throws: `UnknownFile`, `DecisionError`, `StoreError`.
  package func setDistinct(_ paths: [FilePath]) throws -> Int {
    let contents = try paths.map { (path: $0, content: try content(of: $0)) }
    var decisions: [DuplicateDecision] = []
    let now = Timestamp.now
    for (index, one) in contents.enumerated() {
      for other in contents[(index + 1)...] {
        guard one.content != other.content else { throw DecisionError.sameAudio(one.path, other.path) }
        decisions.append(DuplicateDecision(.distinctPair(one.content, other.content), decided: now))
      }
    }
    return try store.decideDuplicates(decisions)
  }

  /// Records that files are the ones to keep in their groups.
  /// - Returns: The number of new decisions.
  package func setKept(_ paths: [FilePath]) throws -> Int {
    let now = Timestamp.now
    return try store.decideDuplicates(
      paths.map { DuplicateDecision(.keep(try content(of: $0)), decided: now) })
  }

  /// Removes all decisions about files and returns their number.
  package func forget(_ paths: [FilePath]) throws -> Int {
    try store.forgetDuplicateDecisions(about: Set(paths.map { try content(of: $0) }))
  }

  private func content(of path: FilePath) throws -> ContentID {
    guard let record = try store.record(at: store.knownPath(of: path)) else { throw UnknownFile(path) }
    guard let content = record.contentID else { throw DecisionError.noAudio(path) }
    return content
  }
}
