internal import LibraryStore
internal import Likeness

/// Finds the tracks that sound most like given tracks of the library. Tracks are identified by their row ids in the
/// table `file`.
package struct SoundNeighbors: Sendable {
  private let descriptors: DescriptorCache

  package init(_ descriptors: DescriptorCache) {
    self.descriptors = descriptors
  }

  /// - Parameter limit: Maximum number of neighbors per file.
  /// - Returns: The neighbors, most similar first, with their likeness to the nearest of the files (0 to 1). The files
  ///   themselves are left out. Empty if none of the files has a descriptor.
  package func near(files: [Int64], limit: Int) throws -> [(file: Int64, likeness: Double)] {
    let descriptors = try descriptors.descriptors()
    var best: [Int64: Double] = [:]
    for file in files {
      guard let own = descriptors.stored.descriptor(ofFile: file) else { continue }
      for neighbor in descriptors.collection.nearest(to: own, limit: limit) {
        let other = descriptors.stored.files[neighbor.index]
        best[other] = max(best[other] ?? -1, neighbor.likeness)
      }
    }
    for file in files { best[file] = nil }
    return best.map { (file: $0.key, likeness: $0.value) }.sorted {
      $0.likeness != $1.likeness ? $0.likeness > $1.likeness : $0.file < $1.file
    }
  }
}

extension StoredDescriptors {
  fileprivate func descriptor(ofFile file: Int64) -> SoundDescriptor? {
    var (low, high) = (0, files.count)
    while low < high {
      let middle = (low + high) / 2
      if files[middle] < file { low = middle + 1 } else { high = middle }
    }
    guard low < files.count, files[low] == file else { return nil }
    return SoundDescriptor(bytes: Array(bytes[low * SoundDescriptor.count..<(low + 1) * SoundDescriptor.count]))
  }
}
