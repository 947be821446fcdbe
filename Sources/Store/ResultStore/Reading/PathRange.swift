internal import Platform
public import SystemPackage

/// A range of paths, compared by their bytes, from `start` (included) to `end` (excluded). An index on paths returns a
/// range in order.
package struct PathRange {
  package let start: [UInt8]
  package let end: [UInt8]

  package static let condition = "file.path >= ? AND file.path < ?"
  package var values: [SQLValue] { [.blob(start), .blob(end)] }

  package func contains(_ path: FilePath) -> Bool {
    path.withBytes { !$0.lexicographicallyPrecedes(start) && $0.lexicographicallyPrecedes(end) }
  }

  /// Returns the ranges of a file or folder and everything below it. There are two ranges, because names such as “a b”
  /// sort between “a” and “a/c”.
  package static func covering(_ root: FilePath) -> [PathRange] {
    let bytes = root.withBytes { Array($0) }
    let folder = bytes.last == slash ? Array(bytes.dropLast()) : bytes
    return [
      PathRange(start: bytes, end: bytes + [0]),
      // “0” is the byte after “/”.
      PathRange(start: folder + [slash], end: folder + [slash + 1]),
    ]
  }

  /// Returns the ranges of everything at or below some roots, in byte order and without overlaps.
  package static func covering(_ roots: [FilePath]) -> [PathRange] {
    let given = Set(roots)
    let outermost = given.filter { root in
      var folder = root
      while folder.removeLastComponent() { if given.contains(folder) { return false } }
      return true
    }
    return outermost.flatMap { covering($0) }.sorted { $0.start.lexicographicallyPrecedes($1.start) }
  }

  private static let slash = UInt8(ascii: "/")
}

extension ResultStore {
  /// Returns the number of known files at or below a path. The number distinguishes an unmounted disk from an empty
  /// folder.
  public func knownFileCount(under root: FilePath, includingVanished: Bool = false) throws(StoreError) -> Int {
    try read { db in
      let select = try Query(
        db,
        "SELECT count(*) FROM file WHERE \(PathRange.condition)"
          + (includingVanished ? "" : " AND vanished_run IS NULL"))
      var total = 0
      for range in PathRange.covering(root) {
        try select.forEachRow(range.values) { total += Int(select.integer(0)) }
      }
      return total
    }
  }
}
