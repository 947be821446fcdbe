internal import Landmarks

/// The lists of postings of a segment, made from the landmarks of its tracks.
///
/// They are made a slice of the anchors' bands at a time, each from all landmarks again: so memory is needed for the
/// postings of one slice only.
struct InvertedFile {
  /// The lists of some bands, one after another.
  struct Slice {
    /// Numbers of the lists within the segment.
    var lists: Range<Int>
    /// The starts of the lists in `columns`, and the end of the last one.
    fileprivate var starts: [Int]
    fileprivate var columns: [UInt32]

    /// The postings of a list, ascending.
    func postings(ofList list: Int) -> ArraySlice<UInt32> {
      columns[starts[list - lists.lowerBound]..<starts[list - lists.lowerBound + 1]]
    }
  }

  /// Landmarks of a slice, about; each gives some four thirds of a posting of twelve bytes. The more slices, the longer
  /// it takes: so they are larger in a large segment, but never so large that memory would grow with it.
  private static let sliceSizes = 6 << 20...24 << 20
  private static let usualSliceCount = 24
  /// Landmarks to a list, at least, before lists are divided by one more bit of the context: shorter ones would cost
  /// more to find than to read.
  private static let landmarksPerList = 6
  private static let listsPerBand = LandmarkPair.keyCount / LandmarkSpectrum.bandCount

  let contextBits: Int
  let slices: [Range<Int>]
  private let tracks: [SegmentFormat.Track]

  /// - Parameters:
  ///   - tracks: With their number of landmarks.
  ///   - codes: The codes of each track's signature.
  ///   - contextBits: Bits of the context by which lists are divided; by default as many as there are landmarks for.
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
    // Counting sort, which keeps the order of columns: the start of each list moves to its end, which is the start of
    // the next one.
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

  /// The part of a damaged signature beyond the end of its track is left out.
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
