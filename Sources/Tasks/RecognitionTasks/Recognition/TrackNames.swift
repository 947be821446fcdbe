internal import Platform
internal import Recognition
internal import SystemPackage
internal import Text

/// Finds tracks of a catalog by the names that people give: by identifier, by the path of the file, or by a folder it
/// is in.
struct TrackNames {
  private let present: Set<String>
  private var paths: [(path: FilePath, identifier: String)] = []
  /// The path that a name means, if it is one.
  private let path: (String) -> FilePath?

  init(_ catalog: CustomCatalog, looksFor names: [String], path: @escaping (String) -> FilePath?) {
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

  /// None if nothing is of this name.
  func identifiers(_ name: String) -> Set<String> {
    if present.contains(name) { return [name] }
    guard let path = path(name) else { return [] }
    return Set(paths.filter { $0.path.starts(with: path) }.map(\.identifier))
  }
}
