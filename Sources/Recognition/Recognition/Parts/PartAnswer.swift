internal import Analysis
internal import Landmarks

/// A part's answer to a `PartQuestion`:
///
///     magic "NCA2" · UInt64 postings of the part · UInt8 number of losses · their names and reasons
///       · UInt8 kind · fields of the kind · checksum of the request and everything before it
enum PartAnswer {
  case size
  case places(FoundPlaces)
  case tracks([FoundTrack])

  private static let magic = PartMagic("NCA2", name: "an answer of a catalog")

  /// - Parameters:
  ///   - question: The bytes of the request.
  ///   - postingCount: Number of postings in the part, as a measure of its size.
  ///   - losses: Segments that the part cannot read.
  func bytes(to question: [UInt8], postingCount: Int, losses: [MissingCatalog] = []) -> [UInt8] {
    var writer = PartBytesWriter(magic: Self.magic)
    writer.append(UInt64(postingCount))
    let losses = losses.prefix(Int(UInt8.max))
    writer.append(UInt8(losses.count))
    for loss in losses {
      writer.append(counted: Array(loss.name.utf8))
      writer.append(counted: Array(loss.reason.utf8))
    }
    switch self {
    case .size: writer.append(UInt8(0))
    case .places(let places):
      writer.append(UInt8(1))
      places.write(to: &writer)
    case .tracks(let tracks):
      writer.append(UInt8(2))
      writer.append(UInt32(tracks.count))
      for track in tracks { track.write(to: &writer) }
    }
    return writer.sealed(answering: question)
  }

  /// An answer, with the size and the losses that the part reports.
  struct Envelope {
    var answer: PartAnswer
    var postingCount: Int
    var losses: [MissingCatalog]
  }

  /// - Parameter question: The bytes of the request that was sent.
  /// - Throws: `PartFailure` if the bytes are not an answer to the request, or were changed on the way.
  static func read(_ bytes: [UInt8], to question: [UInt8]) throws(PartFailure) -> Envelope {
    var reader = try PartBytesReader(bytes, magic: magic, answering: question)
    let postingCount = Int(clamping: min(try reader.integer(UInt64.self), 1 << 40))
    var losses: [MissingCatalog] = []
    for _ in 0..<(try reader.integer(UInt8.self)) {
      let name = String(decoding: try reader.counted(), as: UTF8.self)
      let reason = String(decoding: try reader.counted(), as: UTF8.self)
      losses.append(MissingCatalog(name: name, reason: reason, isUnreadable: true))
    }
    let answer = try PartAnswer(&reader)
    guard reader.remaining == 0 else { throw PartFailure("there are extra bytes after its end") }
    return Envelope(answer: answer, postingCount: postingCount, losses: losses)
  }

  private init(_ reader: inout PartBytesReader) throws(PartFailure) {
    switch try reader.integer(UInt8.self) {
    case 0: self = .size
    case 1: self = .places(try FoundPlaces(&reader))
    case 2:
      var tracks: [FoundTrack] = []
      for _ in 0..<(try reader.count(ofSize: FoundTrack.minSize)) { tracks.append(try FoundTrack(&reader)) }
      self = .tracks(tracks)
    default: throw PartFailure("it is an answer of a kind that this version of Nocturne does not know")
    }
  }
}

/// The best places that a part has found in one stage, limited to those that can be among the best of all parts.
struct FoundPlaces {
  struct Place {
    var name: PartTrackName
    /// Number of columns in the whole track.
    var columnCount: Int
    var placement: MatchedFilter.Placement
    var z: Float

    static let size = PartTrackName.size + 20
  }

  /// `true` if no posting list was skipped in order to stay within the budget.
  var hasReadAll: Bool
  var places: [Place]

  init(hasReadAll: Bool, places: [Place]) {
    self.hasReadAll = hasReadAll
    self.places = places
  }

  func write(to writer: inout PartBytesWriter) {
    writer.append(UInt8(hasReadAll ? 1 : 0))
    writer.append(UInt32(places.count))
    for place in places {
      place.name.write(to: &writer)
      writer.append(UInt32(place.columnCount))
      writer.append(place.placement.center)
      writer.append(place.placement.slope)
      writer.append(Int32(place.placement.shift))
      writer.append(place.z)
    }
  }

  init(_ reader: inout PartBytesReader) throws(PartFailure) {
    hasReadAll = try reader.integer(UInt8.self) != 0
    places = []
    for _ in 0..<(try reader.count(ofSize: Place.size)) {
      let name = try PartTrackName(&reader)
      let columnCount = Int(try reader.integer(UInt32.self))
      let placement = MatchedFilter.Placement(
        center: try reader.float(), slope: try reader.float(), shift: Int(try reader.integer(Int32.self)))
      guard 0.5...2 ~= placement.slope, abs(placement.shift) <= LandmarkSpectrum.bandCount,
        abs(placement.center) <= Float(SegmentFormat.maximumColumnCount)
      else { throw PartFailure("it contains an invalid position") }
      places.append(Place(name: name, columnCount: columnCount, placement: placement, z: try reader.float()))
    }
  }
}

/// The signature and the media items of a part's track.
struct FoundTrack {
  var name: PartTrackName
  /// The bytes of a `ReferenceRecord`.
  var record: [UInt8]
  var signature: [UInt8]

  static let minSize = PartTrackName.size + 8

  init(name: PartTrackName, record: [UInt8], signature: [UInt8]) {
    self.name = name
    self.record = record
    self.signature = signature
  }

  func write(to writer: inout PartBytesWriter) {
    name.write(to: &writer)
    writer.append(counted: record)
    writer.append(counted: signature)
  }

  init(_ reader: inout PartBytesReader) throws(PartFailure) {
    name = try PartTrackName(&reader)
    record = try reader.counted()
    signature = try reader.counted()
  }
}
