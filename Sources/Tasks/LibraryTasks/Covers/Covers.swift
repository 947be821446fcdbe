package import Analysis
package import LibraryStore
internal import Platform
internal import Synchronization
internal import SystemPackage

/// The length of the longer side of a cover, in pixels.
package enum CoverSize: Int, Sendable, CaseIterable {
  case tiny = 64
  case small = 160
  case medium = 300
  case large = 640

  package static let standard = CoverSize.large

  /// Chooses the smallest size of at least `pixels`, or the largest size if none is large enough; the standard size for
  /// `nil`.
  package init(for pixels: Int?) {
    self = pixels.flatMap { pixels in CoverSize.allCases.first { $0.rawValue >= pixels } } ?? .standard
  }
}

/// A JPEG picture.
package struct Cover: Sendable {
  package let bytes: [UInt8]
  /// Identifies the picture.
  package let digest: ContentID

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    digest = ContentID(hashing: bytes)
  }
}

/// Scaled-down covers of tracks, with a cache of recently used ones.
///
/// Pictures are untrusted, and picture decoders have a long history of vulnerabilities. Therefore, a separate process
/// reads and decodes each picture, with limits on memory and time. A failure of that process does not affect this one.
package final class Covers: Sendable {
  fileprivate struct Key: Hashable {
    var path: FilePath
    var size: CoverSize
  }

  fileprivate struct Entry {
    /// The cover; `nil` if the track has none.
    var cover: Cover?
    var made: ContinuousClock.Instant
    /// Value of the use counter. The smallest value belongs to the least recently used entry.
    var used: UInt64

    /// Approximate memory use in bytes.
    var cost: Int { 512 + (cover?.bytes.count ?? 0) }
  }

  fileprivate struct Memory {
    var entries: [Key: Entry] = [:]
    var cost = 0
    var uses: UInt64 = 0
  }

  private let memory = Mutex(Memory())
  /// The command that starts `CoverWorker`; empty to disable covers.
  private let command: [String]
  private let patience: Duration

  /// The capacity of the cache, in bytes.
  private static let capacity = 48 << 20
  /// Maximum age of a cache entry. Entries expire, because files and pictures may change.
  private static let lifetime = Duration.seconds(300)

  /// - Parameter patience: The time limit for each process.
  package init(command: [String], patience: Duration) {
    self.command = command
    self.patience = patience
  }

  /// Returns the cover; `nil` if there is none or it cannot be created. Blocks while the cover is created, unless it is
  /// in the cache.
  package func cover(of track: TrackFile, size: CoverSize) -> Cover? {
    if let known = known(of: track, size: size) { return known }
    let cover = made(from: track, size: size)
    memory.withLock { $0.keep(cover, for: Key(path: track.path, size: size), capacity: Self.capacity) }
    return cover
  }

  /// Returns a cached cover. The outer `nil` means that it is not in the cache; the inner one means that there is no
  /// cover.
  package func known(of track: TrackFile, size: CoverSize) -> Cover?? {
    let key = Key(path: track.path, size: size)
    return memory.withLock { memory in
      guard let entry = memory.entries[key], entry.made.duration(to: .now) < Self.lifetime else { return nil }
      memory.uses += 1
      memory.entries[key]?.used = memory.uses
      return .some(entry.cover)
    }
  }

  private func made(from track: TrackFile, size: CoverSize) -> Cover? {
    guard !command.isEmpty else { return nil }
    do {
      let process = try PipedProcess(CoverWorker.program(command, size: size), hasInput: true, patience: patience)
      try process.write(CoverRequest(track).bytes)
      guard try process.waitForEnd() == .status(0), !process.output.isEmpty else { return nil }
      return Cover(process.output)
    } catch {
      return nil
    }
  }
}

extension Covers.Memory {
  mutating func keep(_ cover: Cover?, for key: Covers.Key, capacity: Int) {
    uses += 1
    let entry = Covers.Entry(cover: cover, made: .now, used: uses)
    cost += entry.cost - (entries.updateValue(entry, forKey: key)?.cost ?? 0)
    guard cost > capacity else { return }
    // Evicts a quarter of the capacity at once, so that sorting is rare.
    for (key, entry) in entries.sorted(by: { $0.value.used < $1.value.used }) {
      if cost <= capacity / 4 * 3 { break }
      entries[key] = nil
      cost -= entry.cost
    }
  }
}
