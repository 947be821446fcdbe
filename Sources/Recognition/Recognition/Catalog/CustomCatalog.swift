internal import Analysis
internal import Foundation
public import Landmarks
internal import Platform
public import SystemPackage

/// A set of references from which clips are recognized.
///
/// A catalog is a value: a set of immutable segments, in memory or mapped from files, which copies share. It is stored
/// in one portable file (`write(to:)`, `init(contentsOf:)`), or in a growing directory (`CatalogDirectory`).
public struct CustomCatalog: Sendable {
  /// Limits for the duration of queries, in seconds.
  public var minimumQueryDuration = 2.0
  public var maximumQueryDuration = 60.0

  /// Segments of the catalog that could not be read; see `init(readableFrom:)`.
  package var losses: [MissingCatalog] = []
  private(set) var segments: [Segment] = []
  /// Indices of the removed tracks of each segment.
  private(set) var removed: [Set<Int>] = []
  /// References that are not in a segment yet; `nil` in place of a removed one.
  private var pending: [ReferenceSignature?] = []
  private var pendingCount = 0
  private var pendingSeconds = 0.0
  /// Locations of the tracks by the digest of their identifier; `nil` until the first change. They keep the cost of a
  /// change independent of the size of the catalog.
  private var knownLocations: [ContentID: Location]?

  private enum Location {
    case pending(Int)
    case stored(segment: Int, track: Int)
  }

  /// Number of hours of audio that are collected before they are sealed into a segment.
  private static let segmentHours = 200.0

  public init() {}

  /// Opens a catalog file, or the directory of a `CatalogDirectory`. Opening takes milliseconds for any size, because
  /// files are mapped and only the parts that a query needs are read.
  public init(contentsOf path: FilePath) throws(CatalogError) {
    if path.fileKind == .folder {
      self = try CatalogDirectory(at: path).catalog()
    } else {
      self.init(segments: [try Segment(contentsOf: path)], removed: [[]])
    }
  }

  /// Opens as much of a catalog as can be read. Damaged or missing segments of a directory are recorded in `losses`.
  /// - Throws: `CatalogError` if nothing can be read.
  package init(readableFrom path: FilePath) throws(CatalogError) {
    if path.fileKind == .folder {
      self = try CatalogDirectory(at: path).readableCatalog()
    } else {
      try self.init(contentsOf: path)
    }
  }

  /// Joins catalogs without copying them. A track in several of them is reported once.
  package init(joining catalogs: [CustomCatalog]) throws(CatalogError) {
    for catalog in catalogs {
      let catalog = try catalog.sealed()
      segments += catalog.segments
      removed += catalog.removed
      losses += catalog.losses
    }
  }

  init(segments: [Segment], removed: [Set<Int>], losses: [MissingCatalog] = []) {
    self.segments = segments
    self.removed = removed
    self.losses = losses
  }

  /// Version of the file format that this program writes. The program reads earlier versions, too.
  public static var formatVersion: Int { Int(SegmentFormat.version) }

  /// Number of references.
  public var count: Int {
    pendingCount + segments.indices.reduce(0) { $0 + segments[$1].trackCount - removed[$1].count }
  }

  static func digest(of identifier: String) -> ContentID { ContentID(hashing: Array(identifier.utf8)) }

  /// Calls `body` with each track that has not been removed.
  private func forEachTrack<E: Error>(_ body: (_ segment: Int, _ track: Int) throws(E) -> Void) throws(E) {
    for segment in segments.indices {
      for track in 0..<segments[segment].trackCount where !removed[segment].contains(track) {
        try body(segment, track)
      }
    }
  }

  /// Returns the locations of at least the given references, or of all references if `identifiers` is `nil`.
  private func locations(of identifiers: [String]? = nil) -> [ContentID: Location] {
    if let knownLocations { return knownLocations }
    let wanted = identifiers.map { Set($0.map(Self.digest)) }
    var locations: [ContentID: Location] = [:]
    func note(_ location: Location, _ digest: ContentID) {
      if wanted?.contains(digest) ?? true { locations[digest] = location }
    }
    forEachTrack { segment, track in
      note(.stored(segment: segment, track: track), segments[segment].identifier(ofTrack: track))
    }
    for (index, reference) in pending.enumerated() {
      if let reference { note(.pending(index), Self.digest(of: reference.identifier)) }
    }
    return locations
  }

  // MARK: Changes

  /// Adds a reference, replacing any reference with the same identifier. After the first change, the cost does not
  /// depend on the size of the catalog.
  public mutating func add(_ reference: ReferenceSignature) throws(CatalogError) {
    let digest = Self.digest(of: reference.identifier)
    remove(digest)
    knownLocations?[digest] = .pending(pending.count)
    pending.append(reference)
    pendingCount += 1
    pendingSeconds += reference.signature.duration
    if pendingSeconds > Self.segmentHours * 3600 { try seal() }
  }

  /// Adds a signature with its media items. The digest of the signature becomes the identifier.
  public mutating func addReferenceSignature(
    _ signature: Signature, representing items: [MediaItem]
  ) throws(CatalogError) {
    let identifier = ContentID(hashing: signature.bytes).description
    try add(ReferenceSignature(identifier: identifier, signature: signature, items: items))
  }

  /// Adds all references of another catalog. They replace references with the same identifiers.
  public mutating func merge(_ other: CustomCatalog) throws(CatalogError) {
    let other = try other.sealed()
    try seal()
    let first = segments.count
    knownLocations = locations()
    segments += other.segments
    removed += other.removed
    other.forEachTrack { segment, track in
      let digest = other.segments[segment].identifier(ofTrack: track)
      remove(digest)
      knownLocations?[digest] = .stored(segment: first + segment, track: track)
    }
  }

  /// Removes references; unknown identifiers are ignored.
  public mutating func remove(_ identifiers: some Sequence<String>) {
    for identifier in identifiers { remove(Self.digest(of: identifier)) }
  }

  private mutating func remove(_ digest: ContentID) {
    if knownLocations == nil { knownLocations = locations() }
    switch knownLocations?.removeValue(forKey: digest) {
    case .pending(let index):
      pendingSeconds -= pending[index]?.signature.duration ?? 0
      pendingCount -= 1
      pending[index] = nil
    case .stored(let segment, let track): removed[segment].insert(track)
    case nil: break
    }
  }

  /// Seals the pending references into a segment.
  mutating func seal() throws(CatalogError) {
    let references = pending.compactMap { $0 }
    if !references.isEmpty {
      segments.append(try Self.builder(for: references).build())
      removed.append([])
    }
    if knownLocations != nil {
      for (track, reference) in references.enumerated() {
        knownLocations?[Self.digest(of: reference.identifier)] = .stored(segment: segments.count - 1, track: track)
      }
    }
    pending.removeAll()
    pendingCount = 0
    pendingSeconds = 0
  }

  /// Returns the same catalog with all references in segments, as matchers require.
  func sealed() throws(CatalogError) -> CustomCatalog {
    var catalog = self
    try catalog.seal()
    catalog.knownLocations = nil
    return catalog
  }

  static func builder(for references: [ReferenceSignature]) throws(CatalogError) -> SegmentBuilder {
    var builder = SegmentBuilder()
    for reference in references {
      try builder.add(
        reference.signature, identifier: digest(of: reference.identifier), items: ReferenceRecord(reference).bytes)
    }
    return builder
  }

  // MARK: Reading and writing

  /// Writes the whole catalog as one file, atomically.
  public func write(to path: FilePath) throws(CatalogError) {
    let whole = try sealed()
    // Without this check, the checksums of the new file would hide existing damage.
    try whole.verify()
    let merger = try SegmentMerger(whole.segments, removed: whole.removed)
    try CatalogFile.replace(path) { (file) throws(CatalogError) in
      _ = try merger.write(with: SegmentWriter(file: file, path: path.string))
    }
  }

  /// Calls `body` with each reference and its signature, in the order in which they are stored.
  public func forEachReference(
    _ body: (ReferenceSignature) throws(CatalogError) -> Void
  ) throws(CatalogError) {
    try forEachTrack { (segment, track) throws(CatalogError) in
      let record = self.record(segment: segment, track: track)
      try body(
        ReferenceSignature(
          identifier: record.identifier, signature: try segments[segment].signature(ofTrack: track),
          items: record.items))
    }
    for case let reference? in pending { try body(reference) }
  }

  /// A reference without its signature.
  public struct Entry: Hashable, Sendable {
    public var identifier: String
    public var items: [MediaItem]
    /// The duration in seconds.
    public var duration: Double
    public var landmarkCount: Int

    init(identifier: String, items: [MediaItem], duration: Double, landmarkCount: Int) {
      self.identifier = identifier
      self.items = items
      self.duration = duration
      self.landmarkCount = landmarkCount
    }

    init(_ reference: ReferenceSignature) {
      self.init(
        identifier: reference.identifier, items: reference.items, duration: reference.signature.duration,
        landmarkCount: reference.signature.landmarkCount)
    }
  }

  /// Calls `body` with each reference, without its signature, in the order in which they are stored.
  public func forEachEntry<E: Error>(_ body: (Entry) throws(E) -> Void) throws(E) {
    try forEachTrack { (segment, track) throws(E) in try body(entry(segment: segment, track: track)) }
    for case let reference? in pending { try body(Entry(reference)) }
  }

  /// Returns a page of the references, without their signatures, in the order in which they are stored.
  /// - Parameters:
  ///   - offset: Number of references to skip.
  ///   - limit: Maximum number of references to return.
  package func entries(offset: Int, limit: Int) -> [Entry] {
    var locations: [Location] = []
    var skipped = 0
    func note(_ location: Location) {
      if skipped < offset { skipped += 1 } else if locations.count < limit { locations.append(location) }
    }
    forEachTrack { note(.stored(segment: $0, track: $1)) }
    for index in pending.indices where pending[index] != nil { note(.pending(index)) }
    return locations.compactMap(entry(at:))
  }

  /// Returns a reference without its signature; `nil` if the identifier is unknown.
  package func entry(_ identifier: String) -> Entry? {
    locations(of: [identifier])[Self.digest(of: identifier)].flatMap(entry(at:))
  }

  private func entry(at location: Location) -> Entry? {
    switch location {
    case .pending(let index): pending[index].map { Entry($0) }
    case .stored(let segment, let track): entry(segment: segment, track: track)
    }
  }

  private func entry(segment: Int, track: Int) -> Entry {
    let record = self.record(segment: segment, track: track)
    let size = segments[segment].track(track)
    return Entry(
      identifier: record.identifier, items: record.items,
      duration: Double(size.columnCount) / LandmarkSpectrum.columnsPerSecond, landmarkCount: Int(size.landmarkCount))
  }

  /// Returns the given identifiers that exist in the catalog.
  public func present(_ identifiers: some Sequence<String>) -> Set<String> {
    let identifiers = Array(identifiers)
    let locations = locations(of: identifiers)
    return Set(identifiers.filter { locations[Self.digest(of: $0)] != nil })
  }

  /// Returns the identifiers of the references that the catalog already contains with the same signature and media
  /// items.
  func unchanged(_ references: [ReferenceSignature]) -> Set<String> {
    var wanted: [ContentID: ReferenceSignature] = [:]
    for reference in references { wanted[Self.digest(of: reference.identifier)] = reference }
    var unchanged: Set<String> = []
    forEachTrack { segment, track in
      guard let reference = wanted[segments[segment].identifier(ofTrack: track)] else { return }
      let columnCount = Int(segments[segment].track(track).columnCount)
      if columnCount == reference.signature.columnCount,
        segments[segment].codes(ofTrack: track).elementsEqual(reference.signature.bodyBytes),
        segments[segment].items(ofTrack: track) == ReferenceRecord(reference).bytes
      {
        unchanged.insert(reference.identifier)
      }
    }
    return unchanged
  }

  /// Returns the references with the given identifiers, by identifier. Unknown identifiers are left out.
  public func references(_ identifiers: some Sequence<String>) throws(CatalogError) -> [String: ReferenceSignature] {
    let identifiers = Array(identifiers)
    let locations = locations(of: identifiers)
    var references: [String: ReferenceSignature] = [:]
    for identifier in identifiers {
      switch locations[Self.digest(of: identifier)] {
      case .pending(let index): references[identifier] = pending[index]
      case .stored(let segment, let track):
        references[identifier] = ReferenceSignature(
          identifier: identifier, signature: try segments[segment].signature(ofTrack: track),
          items: record(segment: segment, track: track).items)
      case nil: break
      }
    }
    return references
  }

  /// Returns the reference with an identifier; `nil` if there is none.
  public func reference(_ identifier: String) throws(CatalogError) -> ReferenceSignature? {
    try references([identifier])[identifier]
  }

  func record(segment: Int, track: Int) -> ReferenceRecord {
    ReferenceRecord(bytes: segments[segment].items(ofTrack: track))
  }

  /// Statistics of a catalog. Landmarks, postings and bytes are counted in the segments, including removed references.
  public struct Information: Hashable, Sendable {
    public var referenceCount: Int
    public var segmentCount: Int
    /// The total duration of the references, in seconds.
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

  /// Reads the whole catalog. Throws `CatalogError.damaged` if a checksum does not match.
  public func verify() throws(CatalogError) {
    for segment in segments { try segment.verify() }
  }
}

/// The identifier and the media items of a reference, stored as JSON in a segment.
struct ReferenceRecord: Codable {
  var identifier: String
  var items: [MediaItem]

  init(identifier: String, items: [MediaItem]) {
    self.identifier = identifier
    self.items = items
  }

  init(_ reference: ReferenceSignature) {
    self.init(identifier: reference.identifier, items: reference.items)
  }

  /// Decodes a record. Bytes that cannot be decoded, as in a damaged file, result in an empty record.
  init(bytes: [UInt8]) {
    self =
      (try? JSONDecoder().decode(ReferenceRecord.self, from: Data(bytes))) ?? ReferenceRecord(identifier: "", items: [])
  }

  var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Encoding fails only if a number is not finite. In that case, the items are dropped.
    guard let data = try? encoder.encode(self) else { return ReferenceRecord(identifier: identifier, items: []).bytes }
    return Array(data)
  }
}
