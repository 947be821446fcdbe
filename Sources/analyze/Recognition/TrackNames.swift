import Recognition
import System
import SystemPackage
import Text

/// Which tracks of a catalog people mean: by identifier, by the path of the file, or by a folder it is in.
struct TrackNames {
  private var present: Set<String>
  private var paths: [(path: FilePath, identifier: String)] = []

  init(_ catalog: CustomCatalog, looksFor names: [String]) throws {
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
    guard let path = PathArgument(argument: name)?.path else { return [] }
    return Set(paths.filter { $0.path.starts(with: path) }.map(\.identifier))
  }
}
