package import Analysis
internal import Pipeline
internal import Platform
package import Recognition
package import SystemPackage

/// One of several equal parts of a catalog. The content id alone decides to which part a track belongs, so copies stay
/// together, and each build of a part finds the same tracks: those whose content id, as text, is a key of the `Shard`.
package struct CatalogPartition: Hashable, Sendable, CustomStringConvertible {
  private let shard: Shard

  /// Reads `K/N`; `nil` unless K is 1 to N.
  package init?(_ text: String) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map(Self.number)
    guard numbers.count == 2, let number = numbers[0], let count = numbers[1],
      let shard = try? Shard(index: number - 1, of: count)
    else { return nil }
    self.shard = shard
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }

  /// From 1.
  package var number: Int { shard.index + 1 }
  package var count: Int { shard.count }
  package var description: String { "\(number)/\(count)" }

  package func contains(_ id: ContentID) -> Bool { shard.contains(Array(id.description.utf8)) }

  /// The part that a catalog was built as; `nil` if it is a whole one or a file.
  package init?(ofCatalog path: FilePath) throws(CatalogError) {
    guard path.fileKind == .folder,
      let part = try CatalogUpdate.builtPartitions(in: path).compactMap({ $0 }).first
    else { return nil }
    self = part
  }

  // MARK: The name of a build list

  /// The end of the name of a build list, before its extension: damage to the list leaves it as it is.
  var buildListSuffix: String { ".part-\(number)-of-\(count)" }

  /// - Parameter name: The name of a build list; that of a whole catalog gives `nil`.
  init?(ofBuildList name: String) {
    let words = name.split { ".-".contains($0) }
    guard words.count == 6, words[1] == "part", words[3] == "of" else { return nil }
    self.init("\(words[2])/\(words[4])")
  }
}
