internal import Landmarks

/// The posting lists of a segment, computed from the landmarks of its tracks.
///
/// The lists are computed in slices, one for each range of anchor bands. Each slice takes its own pass over all
/// landmarks, so that only the postings of one slice are in memory at a time.
struct InvertedFile {
  /// The lists of a range of bands, one after the other.
  struct Slice {
    /// The numbers of the lists in the segment.
    var lists: Range<Int>
    /// Start of each list in `columns`, followed by the end of the last list.
    fileprivate var starts: [Int]
    fileprivate var columns: [UInt32]

    /// Returns the postings of a list, in ascending order.
    func postings(ofList list: Int) -> ArraySlice<UInt32> {
      columns[starts[list - lists.lowerBound]..<starts[list - lists.lowerBound + 1]]
    }
  }

  /// Approximate number of landmarks per slice. Each landmark results in about 4/3 postings of twelve bytes. More
  /// slices take more time, so slices are larger in a large segment, up to a limit that bounds memory use.
  private static let sliceSizes = 6 << 20...24 << 20
  private static let usualSliceCount = 24
  /// Minimum number of landmarks per list for lists to be divided by another bit of the context. Shorter lists would
  /// cost more to find than to read.
  private static let landmarksPerList = 6
  private static let listsPerBand = LandmarkPair.keyCount / LandmarkSpectrum.bandCount

  let contextBits: Int
  let slices: [Range<Int>]
  private let tracks: [SegmentFormat.Track]

  /// - Parameters:
  ///   - tracks: The tracks, with the number of landmarks of each.
  ///   - codes: Returns the codes of a track's signature.
  ///   - contextBits: Number of context bits by which lists are divided; `nil` to derive it from the number of
  ///     landmarks.
  init(_ tracks: [SegmentFormat.Track], codes: (_ track: Int) -> [UInt8], contextBits: Int? = nil) {
    self.tracks = tracks
    let count = tracks.reduce(0) { $0 + Int($1.landmarkCount) }
    var bits = 0
    while bits < LandmarkPair.contextBits, count >= Self.landmarksPerList * LandmarkPair.keyCount << (bits + 1) {
      bits += 1
    }
    self.contextBits = contextBits ?? bits
    let sliceSize = min(max(Self.sliceSizes.lowerBound, count / Self.usualSliceCount), Self.sliceSizes.upperBound)
    guard count > sliceSize else {
      slices = [0..<LandmarkSpectrum.bandCount]
      return
    }
    var counts = [Int](repeating: 0, count: LandmarkSpectrum.bandCount)
    for track in tracks.indices {
      for landmark in Self.landmarks(of: tracks[track], codes(track)) { counts[landmark.band] += 1 }
    }
    var slices: [Range<Int>] = []
    var first = 0
    var sum = 0
    for band in counts.indices {
      if band > first, sum + counts[band] > sliceSize {
        slices.append(first..<band)
        first = band
        sum = 0
      }
      sum += counts[band]
    }
    slices.append(first..<counts.count)
    self.slices = slices
  }

  func slice(ofBands bands: Range<Int>, codes: (_ track: Int) -> [UInt8]) -> Slice {
    let listsPerBand = Self.listsPerBand << contextBits
    let lists = bands.lowerBound * listsPerBand..<bands.upperBound * listsPerBand
    var numbers: [UInt32] = []
    var columns: [UInt32] = []
    for track in tracks.indices {
      let first = tracks[track].firstColumn
      LandmarkPair.forEach(in: Self.landmarks(of: tracks[track], codes(track)), bands: bands) { key, context, column in
        let list = key << contextBits | context >> (LandmarkPair.contextBits - contextBits)
        numbers.append(UInt32(list - lists.lowerBound))
        columns.append(first + UInt32(column))
      }
    }
    // This is a counting sort that keeps the order of columns: each start moves to the end of its list, which is the
    // start of the next list.
    var starts = [Int](repeating: 0, count: lists.count + 2)
    for number in numbers { starts[Int(number) + 2] += 1 }
    for list in 2..<starts.count { starts[list] += starts[list - 1] }
    var sorted = [UInt32](repeating: 0, count: columns.count)
    for index in numbers.indices {
      let list = Int(numbers[index]) + 1
      sorted[starts[list]] = columns[index]
      starts[list] += 1
    }
    starts.removeLast()
    return Slice(lists: lists, starts: starts, columns: sorted)
  }

  /// Decodes the landmarks of a track. Landmarks beyond its end, as in a damaged signature, are dropped.
  private static func landmarks(of track: SegmentFormat.Track, _ codes: [UInt8]) -> [Landmark] {
    var landmarks: [Landmark] = []
    landmarks.reserveCapacity(codes.count / 2)
    var column = 0
    for index in stride(from: 0, to: codes.count - 1, by: 2) {
      let code = UInt16(codes[index]) | UInt16(codes[index + 1]) << 8
      guard let (band, strength) = SignatureCoding.decode(code, column: &column) else { continue }
      if column >= Int(track.columnCount) { break }
      landmarks.append(Landmark(column: column, band: band, strength: strength))
    }
    return landmarks
  }
}
