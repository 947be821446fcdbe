public import Landmarks
internal import Mathematics

/// A clip prepared for recognition. It consists of the peaks of the landmark likelihood, which are used to look up
/// pairs, and a matched filter, which verifies candidates. Queries are not stored; the stored form of a track is a
/// `Signature`.
public struct RecognitionQuery: Sendable {
  /// Number of columns, each of 32 ms.
  public let columnCount: Int
  /// The most likely places of landmarks.
  let peaks: RankedPeaks
  let filter: FilterRows
  /// Clarity of the landmarks: the mean probability of the most likely landmarks in each second of each third of the
  /// bands.
  let clarity: Float
  /// Ranges of at least `minSilence` silent columns, in ascending order. Pauses within music are shorter.
  let silences: [Range<Int>]
  /// The landmark likelihoods, column by column, from which the filter is computed.
  private let picture: [Float]
  /// See `SteadySound`.
  private let isSteady: [Bool]
  private let isClean: Bool
  /// The clarity of music without noise, for queries created from landmarks.
  private static let musicClarity: Float = 0.8
  /// Minimum length of a silence, in columns: 0.5 s.
  private static let minSilence = 16
  /// Level that no band of a silent column reaches. It is 6 dB above the rounding noise of 16-bit audio.
  private static let silentLevel = Int32(LandmarkSpectrum.levelsPerDecibel * (6 - 70))
  /// Minimum log odds (natural logarithm); at lower ones, the likelihood counts as zero. If all places were equally
  /// likely, the log odds would be -5 everywhere.
  private static let minLogOdds: Float = -5.5

  /// The duration in seconds.
  public var duration: Double { Double(columnCount) / LandmarkSpectrum.columnsPerSecond }

  /// Creates a query from the landmarks of a signature. In noise, it finds fewer tracks than a query created from the
  /// audio.
  public init(_ signature: Signature) {
    let bandCount = LandmarkSpectrum.bandCount
    let columnCount = signature.columnCount
    let landmarks = signature.landmarks
    let peaks = landmarks.map {
      LandmarkPeaks.Peak(
        column: $0.column, band: $0.band, strength: Float($0.strength) + 0.5, columnOffset: 0, bandOffset: 0)
    }
    // The window spreads a peak over about two columns and bands on each side.
    var spectrum = [Float](repeating: 0, count: columnCount * bandCount)
    for landmark in landmarks {
      for column in max(0, landmark.column - 2)...min(columnCount - 1, landmark.column + 2) {
        for band in max(0, landmark.band - 1)...min(bandCount - 1, landmark.band + 1) {
          let distance = abs(column - landmark.column) + 2 * abs(band - landmark.band)
          let value = Float(landmark.strength + 4) / Float(1 + distance)
          spectrum[column * bandCount + band] = max(spectrum[column * bandCount + band], value)
        }
      }
    }
    self.init(
      columnCount: columnCount, peaks: RankedPeaks(peaks), picture: spectrum,
      isSteady: [Bool](repeating: false, count: spectrum.count), isClean: true, silences: [])
  }

  /// - Parameter levels: Columns of `LandmarkSpectrum`, one after the other.
  init(levels: [Int32]) {
    let bandCount = LandmarkSpectrum.bandCount
    let columnCount = levels.count / bandCount
    let picture = LandmarkNetwork.trained(levels: levels, whitened: LandmarkNetwork.whitened(levels)).map {
      max(0, $0 - Self.minLogOdds)
    }
    var finder = LandmarkPeaks(radius: 2)
    var found: [LandmarkPeaks.Peak] = []
    for row in stride(from: 0, to: picture.count, by: bandCount) {
      finder.push(Array(picture[row..<row + bandCount]), into: &found)
    }
    finder.finish(into: &found)
    let peaks = RankedPeaks(found)
    self.init(
      columnCount: columnCount, peaks: peaks, picture: picture, isSteady: SteadySound.places(in: levels),
      isClean: false, silences: Self.silences(in: levels))
  }

  /// - Parameter isClean: `true` if the query is created from landmarks.
  private init(
    columnCount: Int, peaks: RankedPeaks, picture: [Float], isSteady: [Bool], isClean: Bool, silences: [Range<Int>]
  ) {
    self.columnCount = columnCount
    self.peaks = peaks
    self.isClean = isClean
    clarity = isClean ? Self.musicClarity : Self.clarity(of: peaks)
    self.silences = silences
    self.picture = picture
    self.isSteady = isSteady
    filter = FilterRows(picture, isSteady, columnCount: columnCount)
  }

  /// Returns a query that consists of a range of the columns.
  func part(_ columns: Range<Int>) -> RecognitionQuery {
    guard columns != 0..<columnCount else { return self }
    let bandCount = LandmarkSpectrum.bandCount
    let places = columns.lowerBound * bandCount..<columns.upperBound * bandCount
    return RecognitionQuery(
      columnCount: columns.count, peaks: peaks.part(columns), picture: Array(picture[places]),
      isSteady: Array(isSteady[places]), isClean: isClean, silences: [])
  }

  /// Returns the query without the given places and the surroundings into which the window spreads a landmark.
  func without(_ places: [(column: Int, band: Int)]) -> RecognitionQuery {
    let bandCount = LandmarkSpectrum.bandCount
    var picture = picture
    var isUnknown = isSteady
    var isTaken = [Bool](repeating: false, count: picture.count)
    for place in places {
      for column in (place.column - 2..<place.column + 3).clamped(to: 0..<columnCount) {
        for band in (place.band - 1..<place.band + 2).clamped(to: 0..<bandCount) {
          let index = column * bandCount + band
          picture[index] = 0
          isUnknown[index] = true
          isTaken[index] = true
        }
      }
    }
    return RecognitionQuery(
      columnCount: columnCount, peaks: peaks.without { isTaken[$0 * bandCount + $1] }, picture: picture,
      isSteady: isUnknown, isClean: isClean, silences: silences)
  }

  /// The columns between leading and trailing silence.
  var sound: Range<Int> {
    let start = silences.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0
    let end = silences.last.map { $0.upperBound == columnCount ? $0.lowerBound : columnCount } ?? columnCount
    return start..<max(start, end)
  }

  private static func clarity(of peaks: RankedPeaks) -> Float {
    let strongest = peaks.peaks.filter { $0.rank < Overlap.rankLimit }
    return strongest.reduce(0) { $0 + 1 / (1 + exp(-$1.strength - minLogOdds)) } / Float(max(1, strongest.count))
  }

  private static func silences(in levels: [Int32]) -> [Range<Int>] {
    let bandCount = LandmarkSpectrum.bandCount
    let columnCount = levels.count / bandCount
    var silences: [Range<Int>] = []
    var first = 0
    for column in 0...columnCount {
      let isSilent =
        column < columnCount
        && levels[column * bandCount..<(column + 1) * bandCount].allSatisfy { $0 < silentLevel }
      if isSilent { continue }
      if column - first >= minSilence { silences.append(first..<column) }
      first = column + 1
    }
    return silences
  }
}
