internal import LibraryStore
internal import Likeness

/// The tracks that sound most like some tracks of the library, by ids of rows of `file`.
package struct SoundNeighbors: Sendable {
  private let sounds: KnownSounds

  package init(_ sounds: KnownSounds) {
    self.sounds = sounds
  }

  /// - Parameter limit: For each of the files.
  /// - Returns: Best first; the files themselves are left out. The likeness (0 to 1) is that to the nearest of them. Empty if
  ///   their sound was not described.
  package func near(files: [Int64], limit: Int) throws -> [(file: Int64, likeness: Double)] {
    let sounds = try sounds.sounds()
    var best: [Int64: Double] = [:]
    for file in files {
      guard let own = sounds.stored.descriptor(ofFile: file) else { continue }
      for neighbor in sounds.collection.nearest(to: own, limit: limit) {
        let other = sounds.stored.files[neighbor.index]
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
