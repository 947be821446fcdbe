public import Fingerprinting

/// A clip made ready to be recognised: its peaks, to look up pairs with, and its whitened spectrum, to check candidates
/// against. It lives in memory only; what is stored of a track is a `Signature`.
public struct Query: Sendable {
  /// Columns of 32 ms.
  public let columnCount: Int
  let peaks: RankedPeaks
  /// The spectrum as it is sharpened, one column after another, if there is one.
  private let sharp: [Float]
  /// The sharpened spectrum as a matched filter.
  let filter: FilterRows
  /// The same of the spectrum as it was. It tells places, and where in the query a track is heard, more exactly.
  let plainFilter: FilterRows
  /// See `FilterRows.flatness`.
  let flatness: Float
  /// What it is in music, on the average: for queries whose spectrum is not known.
  private static let musicFlatness: Float = 0.21

  /// Whether there may be noise or voices that hide the strongest peaks.
  var mayHidePeaks: Bool { sharp.isEmpty || flatness >= 0.24 }

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
    self.init(columnCount: columnCount, peaks: peaks, spectrum: spectrum, isOfAudio: false)
  }

  /// - Parameter levels: Columns of `LandmarkSpectrum`, one after another.
  init(levels: [Int32]) {
    let bandCount = LandmarkSpectrum.bandCount
    let columnCount = levels.count / bandCount
    var whitener = LandmarkWhitener(bandRadius: 6, columnRadius: 10)
    var finder = LandmarkPeaks(radius: 2)
    var found: [LandmarkPeaks.Peak] = []
    var whitened: [Float] = []
    whitened.reserveCapacity(levels.count)
    func takeWhitened() {
      whitened += whitener.whitened
      finder.push(whitener.whitened, into: &found)
    }
    for column in 0..<columnCount {
      if whitener.push(levels.span.extracting(column * bandCount..<(column + 1) * bandCount)) { takeWhitened() }
    }
    while whitener.drain() { takeWhitened() }
    finder.finish(into: &found)
    self.init(columnCount: columnCount, peaks: found, spectrum: whitened, isOfAudio: true)
  }

  /// - Parameter isOfAudio: Whether the spectrum is that of the clip, and not one made up from its peaks.
  private init(columnCount: Int, peaks: [LandmarkPeaks.Peak], spectrum: [Float], isOfAudio: Bool) {
    self.columnCount = columnCount
    self.peaks = RankedPeaks(peaks)
    let sharp = Self.sharpened(spectrum, columnCount: columnCount)
    self.sharp = isOfAudio ? sharp : []
    // A gap says less than a peak: another sound may fill it.
    filter = FilterRows(sharp, columnCount: columnCount, lowest: -0.4)
    plainFilter = FilterRows(spectrum, columnCount: columnCount, lowest: -0.8)
    flatness = isOfAudio ? plainFilter.flatness : Self.musicFlatness
  }

  /// The peaks of the sharpened spectrum, in which music stands out from voices.
  func sharpPeaks() -> RankedPeaks {
    guard !sharp.isEmpty else { return peaks }
    let bandCount = LandmarkSpectrum.bandCount
    var finder = LandmarkPeaks(radius: 2)
    var found: [LandmarkPeaks.Peak] = []
    for row in stride(from: 0, to: columnCount * bandCount, by: bandCount) {
      finder.push(Array(sharp[row..<row + bandCount]), into: &found)
    }
    finder.finish(into: &found)
    return RankedPeaks(found)
  }

  /// Takes from each value a part of those in the bands next to it: the partials of music are as narrow as the window
  /// makes them, those of a voice glide and are broader.
  private static func sharpened(_ whitened: [Float], columnCount: Int) -> [Float] {
    let bandCount = LandmarkSpectrum.bandCount
    var values = whitened
    for row in stride(from: 0, to: columnCount * bandCount, by: bandCount) {
      values[row] -= sharpness * whitened[row + 1]
      values[row + bandCount - 1] -= sharpness * whitened[row + bandCount - 2]
      for place in row + 1..<row + bandCount - 1 {
        values[place] -= sharpness * (whitened[place - 1] + whitened[place + 1])
      }
    }
    return values
  }
  private static let sharpness: Float = 0.3
}
