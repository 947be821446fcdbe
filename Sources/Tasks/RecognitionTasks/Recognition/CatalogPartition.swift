package import Analysis
internal import Platform
package import Recognition
internal import Records
package import SystemPackage

/// One of several roughly equal parts of a catalog. The part of a track depends only on its content id, so copies stay
/// together, and each build of a part finds the same tracks: those whose content id, as text, is a key of the `Shard`.
package struct CatalogPartition: Hashable, Sendable, CustomStringConvertible {
  private let shard: Shard

  /// Parses `K/N`. Returns `nil` unless K is in the range 0 to N − 1.
  package init?(_ text: String) {
    guard let shard = try? Shard(text) else { return nil }
    self.shard = shard
  }

  /// The index of the part, counted from 0.
  package var index: Int { shard.index }
  package var count: Int { shard.count }
  package var description: String { "\(index)/\(count)" }

  package func contains(_ id: ContentID) -> Bool { shard.contains(Array(id.description.utf8)) }

  /// Returns the part that was built as this catalog; `nil` for a whole catalog or a file.
  package init?(ofCatalog path: FilePath) throws(CatalogError) {
    guard path.fileKind == .folder,
      let part = try CatalogUpdate.builtPartitions(in: path).compactMap({ $0 }).first
    else { return nil }
    self = part
  }

  // MARK: Build list names

  /// The end of the build list's name, before the extension. The part is stored in the name, so that it survives damage
  /// to the list.
  var buildListSuffix: String { ".part-\(index)-of-\(count)" }

  /// - Parameter name: The name of a build list. The result is `nil` for the build list of a whole catalog.
  init?(ofBuildList name: String) {
    let words = name.split { ".-".contains($0) }
    guard words.count == 6, words[1] == "part", words[3] == "of" else { return nil }
    self.init("\(words[2])/\(words[4])")
  }
}
