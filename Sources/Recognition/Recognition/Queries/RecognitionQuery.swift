internal import Mathematics
public import Landmarks

/// A clip made ready to be recognized: where landmarks are heard in it, as peaks, to look up pairs with, and as a matched
/// filter, to check candidates against. It lives in memory only; what is stored of a track is a `Signature`.
public struct RecognitionQuery: Sendable {
  /// Columns of 32 ms.
  public let columnCount: Int
  /// The likeliest places of landmarks.
  let peaks: RankedPeaks
  let filter: FilterRows
  /// How clearly landmarks are heard: the mean probability of the likeliest of each second and third of the bands.
  let clarity: Float
  /// Stretches of columns without any sound, in order; pauses of music are shorter.
  let silences: [Range<Int>]
  /// How likely landmarks are, one column after another: what the filter is made of.
  private let picture: [Float]
  /// See `SteadySound`.
  private let isSteady: [Bool]
  private let isClean: Bool
  /// The clarity of music without noise: for queries that are nothing but landmarks.
  private static let musicClarity: Float = 0.8
  /// Half a second, in columns: what is shorter is no silence.
  private static let shortestSilence = 16
  /// The level that the loudest band of a silent column does not reach: 6 dB more than the rounding noise of 16-bit
  /// audio.
  private static let silentLevel = Int32(LandmarkSpectrum.levelsPerDecibel * (6 - 70))
  /// Less likely landmarks count as none, as the natural logarithm of the odds. Were all places alike, it would be -5 everywhere.
  private static let leastLogOdds: Float = -5.5

  /// Seconds.
  public var duration: Double { Double(columnCount) / LandmarkSpectrum.columnsPerSecond }

  /// A query made of nothing but the landmarks of a signature. In noise it finds less than one made of the audio.
  public init(_ signature: Signature) {
    let bandCount = LandmarkSpectrum.bandCount
    let columnCount = signature.columnCount
    let landmarks = signature.landmarks
    let peaks = landmarks.map {
      LandmarkPeaks.Peak(
        column: $0.column, band: $0.band, strength: Float($0.strength) + 0.5, columnOffset: 0, bandOffset: 0)
    }
    // A peak is as wide as the window makes it: about two columns and bands to each side.
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

  /// - Parameter levels: Columns of `LandmarkSpectrum`, one after another.
  init(levels: [Int32]) {
    let bandCount = LandmarkSpectrum.bandCount
    let columnCount = levels.count / bandCount
    let picture = LandmarkNetwork.trained(levels: levels, whitened: LandmarkNetwork.whitened(levels)).map {
      max(0, $0 - Self.leastLogOdds)
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

  /// - Parameter isClean: Whether it is nothing but landmarks.
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

  /// Some of the columns, as a query.
  func part(_ columns: Range<Int>) -> RecognitionQuery {
    guard columns != 0..<columnCount else { return self }
    let bandCount = LandmarkSpectrum.bandCount
    let places = columns.lowerBound * bandCount..<columns.upperBound * bandCount
    return RecognitionQuery(
      columnCount: columns.count, peaks: peaks.part(columns), picture: Array(picture[places]),
      isSteady: Array(isSteady[places]), isClean: isClean, silences: [])
  }

  /// The same without what is heard at some places and around them: as far as the window spreads a landmark.
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

  /// The columns without the silence before and after the sound.
  var sound: Range<Int> {
    let start = silences.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0
    let end = silences.last.map { $0.upperBound == columnCount ? $0.lowerBound : columnCount } ?? columnCount
    return start..<max(start, end)
  }

  private static func clarity(of peaks: RankedPeaks) -> Float {
    let strongest = peaks.peaks.filter { $0.rank < Overlap.rankLimit }
    return strongest.reduce(0) { $0 + 1 / (1 + exp(-$1.strength - leastLogOdds)) } / Float(max(1, strongest.count))
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
      if column - first >= shortestSilence { silences.append(first..<column) }
      first = column + 1
    }
    return silences
  }
}
