internal import Landmarks
package import Recognition
package import SystemPackage
package import Text

extension MediaItemTable {
  /// Returns a table of all media items in a catalog. A track without a media item has an empty row.
  package static func text(of catalog: CustomCatalog) -> String {
    var rows: [Row] = []
    catalog.forEachEntry { entry in
      for item in entry.items.isEmpty ? [MediaItem()] : entry.items {
        rows.append(Row(reference: entry.identifier, item: item))
      }
    }
    return write(rows)
  }
}

extension MediaItem {
  /// Returns `Artist – Title`, or one of them if the other is unknown. If both are unknown, returns the reference.
  /// - Parameter reference: The name of the track.
  package func trackName(orReference reference: String) -> String {
    let parts = [artist, title].compactMap { $0 }
    return parts.isEmpty ? reference : parts.joined(separator: " – ")
  }
}

extension CustomCatalog.Information {
  /// Returns a JSON object with this information.
  /// - Parameters:
  ///   - path: The path of the catalog.
  ///   - partition: The part that was built as this catalog; `nil` for a whole catalog.
  package func jsonValue(path: FilePath, partition: CatalogPartition?) -> JSONValue {
    .object([
      "path": .string(path.string), "partition": partition.map { .string("\($0)") } ?? .null,
      "tracks": .integer(Int64(referenceCount)),
      "duration_s": .number((duration * 10).rounded() / 10), "landmarks": .integer(Int64(landmarkCount)),
      "segments": .integer(Int64(segmentCount)), "size_bytes": .integer(Int64(sizeBytes)),
      "format_version": .integer(Int64(CustomCatalog.formatVersion)),
      "signature_version": .integer(Int64(Signature.version)),
    ])
  }
}
