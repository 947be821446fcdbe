internal import Analysis
internal import Chromaprint
internal import DSP
package import Filters
internal import Library
internal import LibraryStore
internal import Likeness
internal import Platform
package import Records
package import ResultStore
package import SystemPackage
internal import Text

/// Finds the tracks of a library that sound most like a file.
package struct SimilarTracks {
  package struct Track: Sendable {
    /// The rank, counted from 1.
    package var rank: Int
    /// The likeness, from 0 to 1: 1 means the same sound, 0 means as different as two arbitrary tracks.
    package var likeness: Double
    package var record: FileRecord

    /// The artist and title from tags, or the file name if there are none.
    package var name: String { record.track.name }
  }

  package struct Answer: Sendable {
    /// The absolute path of the file.
    package var path: FilePath
    /// Number of files with which the file was compared, including those that were left out.
    package var comparedCount: Int
    /// Number of similar files that were left out because they contain the same recording as the file or as a better
    /// track.
    package var leftOutCount: Int
    /// The tracks, most similar first.
    package var tracks: [Track]
  }

  /// The allowed range for the number of requested tracks.
  package static let limits = 1...1000

  private let store: ResultStore
  private let reading: SoundReading
  private let descriptors: DescriptorCache?

  /// - Parameter descriptors: A cache for repeated searches; `nil` to read the descriptors each time.
  package init(in store: ResultStore, reading: SoundReading, descriptors: DescriptorCache? = nil) {
    self.store = store
    self.reading = reading
    self.descriptors = descriptors
  }

  /// - Parameters:
  ///   - limit: The number of tracks, within `limits`.
  ///   - filter: A filter for the tracks from which to choose.
  /// - Throws: `SimilarTracksError`, `UnknownFile`, `StoreError`.
  package func near(_ path: FilePath, limit: Int, matching filter: TrackFilter = .everything) throws -> Answer {
    let matching = filter == .everything ? nil : Set(try store.tracks(matching: filter).map(\.fileID))
    let descriptors = try self.descriptors?.descriptors() ?? DescriptorCache.read(store)
    let stored = descriptors.stored
    guard !stored.files.isEmpty else { throw SimilarTracksError.nothingDescribed(database: store.path) }
    let known = try self.known(path)
    let record = try known ?? reading.record(of: path)
    guard let likeness = record.findings[LikenessFinding.self], let own = SoundDescriptor(bytes: likeness.descriptor)
    else {
      throw SimilarTracksError.noDescriptor(path, reason: record.findings[LikenessFinding.self]?.reason)
    }
    let compared = stored.files.count - (known.map { !$0.isVanished } ?? false ? 1 : 0)
    // More tracks than requested are read, because some of the nearest ones may be left out.
    var wanted = limit + 32
    while true {
      let near = descriptors.collection.nearest(to: own, limit: wanted)
      let allowed = near.filter { matching?.contains(stored.files[$0.index]) ?? true }
      var answer = try self.answer(record, allowed, of: stored, limit: limit)
      answer.comparedCount = compared
      if answer.tracks.count == limit || near.count < wanted { return answer }
      wanted *= 4
    }
  }

  /// Returns the nearest tracks. Each recording is returned only once.
  private func answer(
    _ record: FileRecord, _ near: [SoundCollection.Neighbor], of stored: StoredDescriptors, limit: Int
  ) throws -> Answer {
    var answer = Answer(path: record.path, comparedCount: 0, leftOutCount: 0, tracks: [])
    var seen = [Recording(record, cosine: 1)]
    let records = try store.records(ofFiles: near.map { stored.files[$0.index] })
    let neighbors = Dictionary(uniqueKeysWithValues: near.map { (stored.files[$0.index], $0) })
    for (file, found) in records where found.path != record.path {
      guard answer.tracks.count < limit, let neighbor = neighbors[file] else { break }
      let recording = Recording(found, cosine: neighbor.cosine)
      if seen.contains(where: { $0.isSame(as: recording) }) {
        answer.leftOutCount += 1
        continue
      }
      seen.append(recording)
      answer.tracks.append(
        Track(rank: answer.tracks.count + 1, likeness: neighbor.likeness.rounded(toPlaces: 3), record: found))
    }
    return answer
  }

  /// Returns the stored record of a file with a current descriptor; `nil` for any other existing file.
  private func known(_ path: FilePath) throws -> FileRecord? {
    let known = try store.record(at: store.knownPath(of: path), long: ["descriptor"])
    if let known, let likeness = known.findings[LikenessFinding.self],
      likeness.version == SoundDescriptor.version || likeness.version == nil
    {
      return known
    }
    guard path.exists else { throw UnknownFile(path) }
    return nil
  }
}

/// The data that decides whether two files contain the same recording.
private struct Recording {
  private let cosine: Double
  private let contentID: ContentID?
  private let fingerprint: Fingerprint?
  private let duration: Double?

  /// Maximum difference in duration between encodings of one recording, in seconds.
  private static let durationTolerance = 5.0
  /// Minimum cosine similarity to the file. Without fingerprints, two files of similar duration that both reach it
  /// count as the same recording.
  private static let minCosine = 0.98

  /// - Parameter cosine: The cosine similarity to the file.
  init(_ record: FileRecord, cosine: Double) {
    self.cosine = cosine
    contentID = record.contentID
    fingerprint = record.fingerprint.flatMap { Fingerprint($0.value) }
    duration = record.format?.duration
  }

  func isSame(as other: Recording) -> Bool {
    if let contentID, contentID == other.contentID { return true }
    guard let duration, let theirs = other.duration, abs(duration - theirs) <= Self.durationTolerance else {
      return false
    }
    if let fingerprint, let theirs = other.fingerprint { return fingerprint.isOfSameRecording(as: theirs) }
    return min(cosine, other.cosine) >= Self.minCosine
  }
}

/// The reason similar tracks cannot be found, and what to do about it.
package enum SimilarTracksError: Error, CustomStringConvertible {
  case nothingDescribed(database: FilePath)
  case noDescriptor(FilePath, reason: String?)
  case cannotRead(FilePath, reason: String)

  package var description: String {
    switch self {
    case .nothingDescribed(let database):
      "No file in the database \(printable(DisplayPath.text(of: database))) has a likeness descriptor. Analyze your "
        + "music with a pipeline that has likeness, such as default: analyze FOLDER"
    case .noDescriptor(let path, let reason):
      "\(printable(DisplayPath.text(of: path))) cannot be compared: "
        + (reason == "silence"
          ? "it is silent." : reason == "too_short" ? "it is shorter than 5 s." : "it has no audio.")
    case .cannotRead(let path, let reason):
      "\(printable(DisplayPath.text(of: path))) cannot be read: \(reason)"
    }
  }
}
