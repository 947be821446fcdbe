package import Analysis
package import LibraryStore
internal import Platform
internal import Synchronization
internal import SystemPackage

/// The longer side of a cover in pixels.
package enum CoverSize: Int, Sendable, CaseIterable {
  case tiny = 64
  case small = 160
  case medium = 300
  case large = 640

  package static let standard = CoverSize.large

  /// The smallest that is not smaller than this, or else the largest.
  package init(for pixels: Int?) {
    self = pixels.flatMap { pixels in CoverSize.allCases.first { $0.rawValue >= pixels } } ?? .standard
  }
}

/// A picture as JPEG.
package struct Cover: Sendable {
  package let bytes: [UInt8]
  /// Another picture has another one.
  package let digest: ContentID

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    digest = ContentID(hashing: bytes)
  }
}

/// Covers of tracks, made small, the last ones kept in memory.
///
/// Pictures come from anywhere, and decoders of pictures have a long record of holes. So a process of its own reads and
/// decodes each, with limits of memory and time; whatever becomes of it, this one goes on.
package final class Covers: Sendable {
  fileprivate struct Key: Hashable {
    var path: FilePath
    var size: CoverSize
  }

  fileprivate struct Entry {
    /// `nil`: there is none.
    var cover: Cover?
    var made: ContinuousClock.Instant
    /// Counts up; the smallest was used longest ago.
    var used: UInt64

    /// Bytes of memory, about.
    var cost: Int { 512 + (cover?.bytes.count ?? 0) }
  }

  fileprivate struct Memory {
    var entries: [Key: Entry] = [:]
    var cost = 0
    var uses: UInt64 = 0
  }

  private let memory = Mutex(Memory())
  /// The command that starts the process that makes a cover: `CoverWorker`. Empty for none, and no covers.
  private let command: [String]
  private let patience: Duration

  /// Bytes of covers in memory.
  private static let capacity = 48 << 20
  /// Files and the pictures beside them may change.
  private static let lifetime = Duration.seconds(300)

  /// - Parameter patience: How long a process may take.
  package init(command: [String], patience: Duration) {
    self.command = command
    self.patience = patience
  }

  /// Blocks while the cover is made, unless it is known. `nil` if there is none.
  package func cover(of track: TrackFile, size: CoverSize) -> Cover? {
    if let known = known(of: track, size: size) { return known }
    let cover = made(from: track, size: size)
    memory.withLock { $0.keep(cover, for: Key(path: track.path, size: size), capacity: Self.capacity) }
    return cover
  }

  /// A cover that was made before. The inner `nil` stands for no cover, the outer one for not known.
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
    // A quarter at once, so looking for the oldest is rare.
    for (key, entry) in entries.sorted(by: { $0.value.used < $1.value.used }) {
      if cost <= capacity / 4 * 3 { break }
      entries[key] = nil
      cost -= entry.cost
    }
  }
}
