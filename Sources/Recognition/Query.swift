public import Fingerprinting
internal import Glibc

/// A clip made ready to be recognised: where landmarks are heard in it, as peaks, to look up pairs with, and as a matched
/// filter, to check candidates against. It lives in memory only; what is stored of a track is a `Signature`.
public struct Query: Sendable {
  /// Columns of 32 ms.
  public let columnCount: Int
  /// Where landmarks are likeliest.
  let peaks: RankedPeaks
  let filter: FilterRows
  /// How clearly landmarks are heard: the mean probability of the likeliest of each second and third of the bands.
  let clarity: Float
  /// What it is in music without noise: for queries that are nothing but landmarks.
  private static let musicClarity: Float = 0.8
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
    self.init(columnCount: columnCount, peaks: RankedPeaks(peaks), picture: spectrum, clarity: Self.musicClarity)
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
    let strongest = peaks.peaks.filter { $0.rank < Overlap.rankLimit }
    let clarity =
      strongest.reduce(0) { $0 + 1 / (1 + exp(-$1.strength - Self.leastLogOdds)) } / Float(max(1, strongest.count))
    self.init(columnCount: columnCount, peaks: peaks, picture: picture, clarity: clarity)
  }

  private init(columnCount: Int, peaks: RankedPeaks, picture: [Float], clarity: Float) {
    self.columnCount = columnCount
    self.peaks = peaks
    self.clarity = clarity
    filter = FilterRows(picture, columnCount: columnCount)
  }
}
