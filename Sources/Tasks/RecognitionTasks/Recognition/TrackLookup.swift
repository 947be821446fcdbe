internal import Platform
internal import Recognition
internal import SystemPackage
internal import Text

/// Finds the tracks of a catalog that a user means by an identifier, the path of a file, or a folder above it.
struct TrackLookup {
  private let present: Set<String>
  private var paths: [(path: FilePath, identifier: String)] = []
  /// Turns a name into a path. Returns `nil` if the name is not a path.
  private let path: (String) -> FilePath?

  init(_ catalog: CustomCatalog, matching names: [String], path: @escaping (String) -> FilePath?) {
    self.path = path
    present = catalog.present(names)
    guard present.count < Set(names).count else { return }
    catalog.forEachEntry { entry in
      for item in entry.items {
        guard case .string(let path)? = item.properties[LibraryItem.path] else { continue }
        paths.append((DisplayPath.path(from: path), entry.identifier))
      }
    }
  }

  /// Returns the identifiers of the tracks that a name refers to; empty if there are none.
  func identifiers(_ name: String) -> Set<String> {
    if present.contains(name) { return [name] }
    guard let path = path(name) else { return [] }
    return Set(paths.filter { $0.path.starts(with: path) }.map(\.identifier))
  }
}
