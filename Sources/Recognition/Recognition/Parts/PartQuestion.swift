internal import Analysis
internal import Landmarks

/// A request to a part of a catalog.
///
///     magic "NCQ2" · UInt32 version of signatures · UInt8 kind · fields of the kind · checksum of everything before it
///
/// The protocol is stateless. If the catalog of a part changes between two requests, the part may be unable to find a
/// track that it has named. That track is then dropped.
enum PartQuestion {
  /// Asks for the size of the catalog.
  case size
  /// Asks for the best places for a query.
  case places(PlaceSearch)
  /// Asks for the signatures and media items of tracks.
  case tracks([PartTrackName])

  private static let magic = PartMagic("NCQ2", name: "a catalog query")

  var bytes: [UInt8] {
    var writer = PartBytesWriter(magic: Self.magic)
    writer.append(UInt32(Signature.version))
    switch self {
    case .size: writer.append(UInt8(0))
    case .places(let search):
      writer.append(UInt8(1))
      search.write(to: &writer)
    case .tracks(let names):
      writer.append(UInt8(2))
      writer.append(UInt32(names.count))
      for name in names { name.write(to: &writer) }
    }
    return writer.sealed()
  }

  /// - Throws: `PartFailure` if the bytes are not a request, or have another version.
  init(bytes: [UInt8]) throws(PartFailure) {
    var reader = try PartBytesReader(bytes, magic: Self.magic)
    let version = try reader.integer(UInt32.self)
    guard version == UInt32(Signature.version) else {
      throw PartFailure(
        "it contains signatures of version \(version), and this catalog has version \(Signature.version)")
    }
    switch try reader.integer(UInt8.self) {
    case 0: self = .size
    case 1: self = .places(try PlaceSearch(&reader))
    case 2:
      let count = try reader.count(ofSize: PartTrackName.size)
      guard count <= Self.maxTracks else { throw PartFailure("it asks for more than \(Self.maxTracks) tracks") }
      var names: [PartTrackName] = []
      for _ in 0..<count { names.append(try PartTrackName(&reader)) }
      self = .tracks(names)
    default: throw PartFailure("it is a query of a kind that this version of Nocturne does not know")
    }
    guard reader.remaining == 0 else { throw PartFailure("there are extra bytes after its end") }
  }

  /// Maximum number of tracks per request.
  private static let maxTracks = 64
}

/// A search for the places in a part that fit a query, in one stage of `Matcher`.
struct PlaceSearch {
  let stage: Matcher.Stage.Name
  /// Total number of postings in the local catalogs and all parts. The larger the catalog, the more places are
  /// verified.
  let postingCount: Int
  let columnCount: Int
  let peaks: RankedPeaks
  let filter: FilterRows

  init(_ query: RecognitionQuery, _ stage: Matcher.Stage.Name, postingCount: Int) {
    self.stage = stage
    self.postingCount = postingCount
    columnCount = query.columnCount
    peaks = query.peaks
    filter = query.filter
  }

  /// The duration of the query, in seconds.
  var duration: Double { Double(columnCount) / LandmarkSpectrum.columnsPerSecond }

  func write(to writer: inout PartBytesWriter) {
    writer.append(stage.rawValue)
    writer.append(UInt64(postingCount))
    writer.append(UInt32(columnCount))
    writer.append(UInt32(peaks.found.count))
    for peak in peaks.found {
      writer.append(UInt32(peak.column))
      writer.append(UInt16(peak.band))
      writer.append(peak.strength)
      writer.append(peak.columnOffset)
      writer.append(peak.bandOffset)
    }
    filter.values.withUnsafeBufferPointer { values in
      for band in 0..<LandmarkSpectrum.bandCount {
        let first = band * filter.stride + FilterRows.padding
        writer.append(values[first..<first + columnCount])
      }
    }
  }

  fileprivate init(_ reader: inout PartBytesReader) throws(PartFailure) {
    guard let stage = Matcher.Stage.Name(rawValue: try reader.integer()) else {
      throw PartFailure("it is for a stage of the search that this version of Nocturne does not know")
    }
    self.stage = stage
    postingCount = Int(clamping: min(try reader.integer(UInt64.self), Self.maxPostings))
    columnCount = Int(try reader.integer(UInt32.self))
    guard 1...Self.maxColumns ~= columnCount else { throw PartFailure("its query is empty or too long") }
    let peakCount = try reader.count(ofSize: Self.peakSize)
    var found: [LandmarkPeaks.Peak] = []
    found.reserveCapacity(peakCount)
    for _ in 0..<peakCount {
      let peak = LandmarkPeaks.Peak(
        column: Int(try reader.integer(UInt32.self)), band: Int(try reader.integer(UInt16.self)),
        strength: try reader.float(), columnOffset: try reader.float(), bandOffset: try reader.float())
      guard (found.last?.column ?? 0)...(columnCount - 1) ~= peak.column, peak.band < LandmarkSpectrum.bandCount,
        peak.strength >= 0, abs(peak.columnOffset) <= 1, abs(peak.bandOffset) <= 1
      else { throw PartFailure("it contains a peak outside its query") }
      found.append(peak)
    }
    peaks = RankedPeaks(found)
    let rows = try reader.integers(columnCount * LandmarkSpectrum.bandCount)
    guard let filter = FilterRows(rows, columnCount: columnCount) else {
      throw PartFailure("it contains a value that is out of range")
    }
    self.filter = filter
  }

  /// Maximum number of columns: slightly more than a minute, the maximum duration of a query.
  private static let maxColumns = 2048
  /// Maximum number of postings, which is enough for a hundred million tracks.
  private static let maxPostings: UInt64 = 1 << 40
  private static let peakSize = 18
}

/// The name that a part uses for a track.
struct PartTrackName: Hashable {
  /// The location of the track in the part, whose catalog may have changed since.
  var segment: Int
  var track: Int
  /// The digest of the reference's identifier.
  var digest: ContentID

  static let size = 24

  func write(to writer: inout PartBytesWriter) {
    writer.append(UInt32(segment))
    writer.append(UInt32(track))
    writer.append(digest.high)
    writer.append(digest.low)
  }

  init(segment: Int, track: Int, digest: ContentID) {
    self.segment = segment
    self.track = track
    self.digest = digest
  }

  init(_ reader: inout PartBytesReader) throws(PartFailure) {
    segment = Int(try reader.integer(UInt32.self))
    track = Int(try reader.integer(UInt32.self))
    digest = ContentID(high: try reader.integer(), low: try reader.integer())
  }
}
