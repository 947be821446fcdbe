internal import Analysis
public import Fingerprinting
internal import Foundation
internal import Glibc
public import SystemPackage

/// References to recognise clips from.
///
/// A catalog is a value: a set of immutable segments, in memory or mapped from files, that copies share. It can be kept
/// in one portable file (`write(to:)`, `init(contentsOf:)`), or in a directory that grows night by night
/// (`CatalogDirectory`).
public struct CustomCatalog: Sendable {
  /// Seconds that a query must have, and may have.
  public var minimumQueryDuration = 2.0
  public var maximumQueryDuration = 60.0

  private(set) var segments: [Segment] = []
  /// Tracks of each segment that are no longer part of the catalog.
  private(set) var removed: [Set<Int>] = []
  private var pending: [Reference] = []
  private var pendingSeconds = 0.0

  /// Hours of audio that are collected before a segment is made of them.
  private static let segmentHours = 200.0

  /// An empty catalog.
  public init() {}

  /// Opens a catalog file, or a directory of `CatalogDirectory`. However large, it takes milliseconds: files are
  /// mapped, and what a query does not need is not read.
  public init(contentsOf path: FilePath) throws(CatalogError) {
    var status = stat()
    if stat(path.string, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      self = try CatalogDirectory(at: path).catalog()
    } else {
      self.init(segments: [try Segment(contentsOf: path)], removed: [[]])
    }
  }

  init(segments: [Segment], removed: [Set<Int>]) {
    self.segments = segments
    self.removed = removed
  }

  /// Of the files that this program writes, and the only one that it reads.
  public static var formatVersion: Int { Int(SegmentFormat.version) }

  /// How many references there are.
  public var count: Int {
    pending.count + segments.indices.reduce(0) { $0 + segments[$1].trackCount - removed[$1].count }
  }

  /// Adds a reference; one of the same identifier is replaced.
  public mutating func add(_ reference: Reference) throws(CatalogError) {
    remove([reference.identifier])
    pending.append(reference)
    pendingSeconds += reference.signature.duration
    if pendingSeconds > Self.segmentHours * 3600 { try seal() }
  }

  /// Adds a reference signature for some media items, named by the signature itself.
  public mutating func addReference(_ signature: Signature, representing items: [MediaItem]) throws(CatalogError) {
    let identifier = ContentID(hashing: signature.bytes).description
    try add(Reference(identifier: identifier, signature: signature, items: items))
  }

  /// Adds all references of another catalog. Those of the other one win where identifiers are equal.
  public mutating func merge(_ other: CustomCatalog) throws(CatalogError) {
    var other = other
    try other.seal()
    try seal()
    var present: [ContentID: (segment: Int, track: Int)] = [:]
    for segment in segments.indices {
      for track in 0..<segments[segment].trackCount where !removed[segment].contains(track) {
        present[segments[segment].identifier(ofTrack: track)] = (segment, track)
      }
    }
    for segment in other.segments.indices {
      for track in 0..<other.segments[segment].trackCount where !other.removed[segment].contains(track) {
        if let old = present[other.segments[segment].identifier(ofTrack: track)] {
          removed[old.segment].insert(old.track)
        }
      }
    }
    segments += other.segments
    removed += other.removed
  }

  /// Takes references out; identifiers that are not there are ignored.
  public mutating func remove(_ identifiers: some Sequence<String>) {
    let names = Set(identifiers)
    let digests = Set(names.map { ContentID(hashing: Array($0.utf8)) })
    pending.removeAll { names.contains($0.identifier) }
    for segment in segments.indices {
      for track in 0..<segments[segment].trackCount
      where digests.contains(segments[segment].identifier(ofTrack: track)) {
        removed[segment].insert(track)
      }
    }
  }

  /// Makes a segment of the references added last. Sessions do so by themselves.
  mutating func seal() throws(CatalogError) {
    guard !pending.isEmpty else { return }
    segments.append(try Self.builder(for: pending).build())
    removed.append([])
    pending.removeAll()
    pendingSeconds = 0
  }

  static func builder(for references: [Reference]) throws(CatalogError) -> SegmentBuilder {
    var builder = SegmentBuilder()
    for reference in references {
      try builder.add(
        reference.signature, identifier: ContentID(hashing: Array(reference.identifier.utf8)),
        items: ReferenceRecord(reference).bytes)
    }
    return builder
  }

  /// Writes the whole catalog as one file, which is complete or not there at all.
  public func write(to path: FilePath) throws(CatalogError) {
    var whole = self
    try whole.seal()
    // The checksums of the new file would hide old damage.
    try whole.verify()
    let merger = try SegmentMerger(whole.segments, removed: whole.removed)
    try AtomicFile.replace(path) { (file, name) throws(CatalogError) in
      _ = try merger.write(with: SegmentWriter(file: file, path: name))
    }
  }

  /// All references, in the order they were added, with their signatures.
  public func forEachReference(_ body: (Reference) throws -> Void) throws {
    for segment in segments.indices {
      for track in 0..<segments[segment].trackCount where !removed[segment].contains(track) {
        let record = self.record(segment: segment, track: track)
        try body(
          Reference(
            identifier: record.identifier, signature: try segments[segment].signature(ofTrack: track),
            items: record.items))
      }
    }
    for reference in pending { try body(reference) }
  }

  /// What a catalog holds of a reference beside its signature.
  public struct Entry: Hashable, Sendable {
    public var identifier: String
    public var items: [MediaItem]
    /// Seconds.
    public var duration: Double
    public var landmarkCount: Int
  }

  /// All references without their signatures, in the order they were added.
  public func forEachEntry(_ body: (Entry) throws -> Void) rethrows {
    for segment in segments.indices {
      for track in 0..<segments[segment].trackCount where !removed[segment].contains(track) {
        let record = self.record(segment: segment, track: track)
        let size = segments[segment].track(track)
        try body(
          Entry(
            identifier: record.identifier, items: record.items,
            duration: Double(size.columnCount) / LandmarkSpectrum.columnsPerSecond,
            landmarkCount: Int(size.landmarkCount)))
      }
    }
    for reference in pending {
      try body(
        Entry(
          identifier: reference.identifier, items: reference.items, duration: reference.signature.duration,
          landmarkCount: reference.signature.landmarkCount))
    }
  }

  /// Those of the identifiers that the catalog has.
  public func present(_ identifiers: some Sequence<String>) -> Set<String> {
    var digests = Set(pending.map { ContentID(hashing: Array($0.identifier.utf8)) })
    for segment in segments.indices {
      for track in 0..<segments[segment].trackCount where !removed[segment].contains(track) {
        digests.insert(segments[segment].identifier(ofTrack: track))
      }
    }
    return Set(identifiers.filter { digests.contains(ContentID(hashing: Array($0.utf8))) })
  }

  /// The identifiers of those references that the catalog holds just as they are.
  func unchanged(_ references: [Reference]) -> Set<String> {
    var wanted: [ContentID: Reference] = [:]
    for reference in references { wanted[ContentID(hashing: Array(reference.identifier.utf8))] = reference }
    var unchanged: Set<String> = []
    for segment in segments.indices {
      for track in 0..<segments[segment].trackCount where !removed[segment].contains(track) {
        guard let reference = wanted[segments[segment].identifier(ofTrack: track)] else { continue }
        let columnCount = Int(segments[segment].track(track).columnCount)
        if columnCount == reference.signature.columnCount,
          segments[segment].codes(ofTrack: track).elementsEqual(reference.signature.bodyBytes),
          segments[segment].items(ofTrack: track) == ReferenceRecord(reference).bytes
        {
          unchanged.insert(reference.identifier)
        }
      }
    }
    return unchanged
  }

  /// The reference of a name, if there is one.
  public func reference(_ identifier: String) throws(CatalogError) -> Reference? {
    if let reference = pending.last(where: { $0.identifier == identifier }) { return reference }
    let digest = ContentID(hashing: Array(identifier.utf8))
    for segment in segments.indices {
      for track in 0..<segments[segment].trackCount
      where segments[segment].identifier(ofTrack: track) == digest && !removed[segment].contains(track) {
        let signature = try segments[segment].signature(ofTrack: track)
        return Reference(
          identifier: identifier, signature: signature, items: record(segment: segment, track: track).items)
      }
    }
    return nil
  }

  func record(segment: Int, track: Int) -> ReferenceRecord {
    ReferenceRecord(bytes: segments[segment].items(ofTrack: track))
  }

  /// Numbers about a catalog.
  public struct Information: Hashable, Sendable {
    public var referenceCount: Int
    public var segmentCount: Int
    /// Seconds of audio.
    public var duration: Double
    public var landmarkCount: Int
    public var postingCount: Int
    public var sizeBytes: Int
  }

  public var information: Information {
    Information(
      referenceCount: count, segmentCount: segments.count,
      duration: pendingSeconds
        + segments.indices.reduce(0.0) { sum, segment in
          sum
            + (0..<segments[segment].trackCount).reduce(0.0) {
              $0 + (removed[segment].contains($1) ? 0 : Double(segments[segment].track($1).columnCount))
            } / LandmarkSpectrum.columnsPerSecond
        },
      landmarkCount: segments.reduce(0) { $0 + $1.landmarkCount },
      postingCount: segments.reduce(0) { $0 + $1.postingCount },
      sizeBytes: segments.reduce(0) { $0 + $1.bytes.pointer.count })
  }

  /// Reads every byte of the catalog and throws `CatalogError.damaged` if one has changed.
  public func verify() throws(CatalogError) {
    for segment in segments { try segment.verify() }
  }
}

/// What a segment keeps of a reference beside its signature: JSON.
struct ReferenceRecord: Codable {
  var identifier: String
  var items: [MediaItem]

  init(identifier: String, items: [MediaItem]) {
    self.identifier = identifier
    self.items = items
  }

  init(_ reference: Reference) {
    self.init(identifier: reference.identifier, items: reference.items)
  }

  /// Of bytes that cannot be read, in a damaged file, a record without items.
  init(bytes: [UInt8]) {
    self =
      (try? JSONDecoder().decode(ReferenceRecord.self, from: Data(bytes))) ?? ReferenceRecord(identifier: "", items: [])
  }

  var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings, finite numbers and lists of them always encode; a number that is not finite loses the items.
    guard let data = try? encoder.encode(self) else { return ReferenceRecord(identifier: identifier, items: []).bytes }
    return Array(data)
  }
}
