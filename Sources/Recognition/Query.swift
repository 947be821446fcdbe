public import Fingerprinting

/// A clip made ready to be recognised: its peaks, to look up pairs with, and its whitened spectrum, to check candidates
/// against. It lives in memory only; what is stored of a track is a `Signature`.
public struct Query: Sendable {
  /// A peak with its place between columns and bands.
  struct Peak: Sendable {
    var column: Float
    var band: Float
    var strength: Float
    /// 0 for the strongest peak of its second and third of the bands.
    var rank: Int
    var third: Int
  }

  /// Columns to the left and right of the spectrum that are zero.
  static let padding = 144
  /// Steps of a filter value in one standard deviation.
  static let steps: Float = 32
  /// Greatest filter value, in such steps: what stands out so far is beyond the clipping.
  static let maximumValue: Float = 255

  /// Columns of 32 ms.
  public let columnCount: Int
  /// In order of column, then band.
  let peaks: [Peak]
  /// The spectrum as it is sharpened, one column after another, if there is one.
  private let sharp: [Float]
  /// The spectrum as a matched filter: one row for each band, `stride` values long, of which `columnCount` after
  /// `padding` are not zero. Zero mean in each band.
  let filter: [Int16]
  /// The same of the spectrum as it was before it was sharpened. It tells places, and where in the query a track is
  /// heard, more exactly.
  let plainFilter: [Int16]
  let stride: Int
  /// Share of the spectrum that lies well below its mean: about a fifth in music, where few peaks stand out, and up to
  /// three tenths in noise and among many voices.
  let flatness: Float
  /// What it is in music, on the average: for queries whose spectrum is not known.
  private static let musicFlatness: Float = 0.21

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
    var whitened = [Float](repeating: 0, count: columnCount * bandCount)
    var whitenedCount = 0
    func takeWhitened() {
      for band in 0..<bandCount { whitened[whitenedCount * bandCount + band] = whitener.whitened[band] }
      finder.push(whitener.whitened, into: &found)
      whitenedCount += 1
    }
    for column in 0..<columnCount {
      if whitener.push(Array(levels[column * bandCount..<(column + 1) * bandCount])) { takeWhitened() }
    }
    while whitener.drain() { takeWhitened() }
    finder.finish(into: &found)
    self.init(columnCount: columnCount, peaks: found, spectrum: whitened, isOfAudio: true)
  }

  /// - Parameter isOfAudio: Whether the spectrum is that of the clip, and not one made up from its peaks.
  private init(columnCount: Int, peaks: [LandmarkPeaks.Peak], spectrum: [Float], isOfAudio: Bool) {
    self.columnCount = columnCount
    self.peaks = Self.ranked(peaks)
    stride = columnCount + 2 * Self.padding
    let sharp = Self.sharpened(spectrum, columnCount: columnCount)
    self.sharp = isOfAudio ? sharp : []
    // A gap says less than a peak: another sound may fill it.
    filter = Self.filter(
      Self.normalized(sharp, columnCount: columnCount, lowest: -0.4), columnCount: columnCount, stride: stride)
    let plain = Self.normalized(spectrum, columnCount: columnCount, lowest: -0.8)
    plainFilter = Self.filter(plain, columnCount: columnCount, stride: stride)
    flatness = isOfAudio ? Self.flatness(of: plain) : Self.musicFlatness
  }

  /// The peaks of the sharpened spectrum, in which music stands out from voices, in order of column, then band.
  func sharpPeaks() -> [Peak] {
    guard !sharp.isEmpty else { return peaks }
    let bandCount = LandmarkSpectrum.bandCount
    var finder = LandmarkPeaks(radius: 2)
    var found: [LandmarkPeaks.Peak] = []
    for row in Swift.stride(from: 0, to: columnCount * bandCount, by: bandCount) {
      finder.push(Array(sharp[row..<row + bandCount]), into: &found)
    }
    finder.finish(into: &found)
    return Self.ranked(found)
  }

  /// Ranks peaks within their second and third.
  private static func ranked(_ found: [LandmarkPeaks.Peak]) -> [Peak] {
    var peaks = found.map {
      Peak(
        column: Float($0.column) + $0.columnOffset, band: Float($0.band) + $0.bandOffset, strength: $0.strength,
        rank: 0,
        third: LandmarkQuota.third(of: $0.band))
    }
    let groups = found.map {
      LandmarkQuota.second(of: $0.column) * LandmarkQuota.thirdCount + LandmarkQuota.third(of: $0.band)
    }
    let order = found.indices.sorted {
      (groups[$0], found[$1].strength, $0) < (groups[$1], found[$0].strength, $1)
    }
    var rank = 0
    var group = -1
    for index in order {
      if groups[index] != group {
        group = groups[index]
        rank = 0
      }
      peaks[index].rank = rank
      rank += 1
    }
    return peaks
  }

  /// A normalized spectrum as a matched filter, in whole steps.
  private static func filter(_ values: [Float], columnCount: Int, stride: Int) -> [Int16] {
    let bandCount = LandmarkSpectrum.bandCount
    var filter = [Int16](repeating: 0, count: stride * bandCount)
    let gain = steps / max(deviation(of: values), 1e-3)
    for band in 0..<bandCount {
      let row = band * stride + padding
      for column in 0..<columnCount {
        filter[row + column] = Int16(min(max(values[column * bandCount + band] * gain, -maximumValue), maximumValue))
      }
    }
    return filter
  }

  /// Brings a spectrum to unit deviation and clips it, so that no single sound decides; then brings each band to zero
  /// mean.
  private static func normalized(_ spectrum: [Float], columnCount: Int, lowest: Float) -> [Float] {
    let bandCount = LandmarkSpectrum.bandCount
    let deviation = deviation(of: spectrum)
    guard deviation > 1e-3 else { return [Float](repeating: 0, count: spectrum.count) }
    var values = spectrum
    var means = [Float](repeating: 0, count: bandCount)
    let scale = 1 / deviation
    for row in Swift.stride(from: 0, to: columnCount * bandCount, by: bandCount) {
      for band in 0..<bandCount {
        let value = min(max(values[row + band] * scale, lowest), 3.5)
        values[row + band] = value
        means[band] += value
      }
    }
    for band in 0..<bandCount { means[band] /= Float(columnCount) }
    for row in Swift.stride(from: 0, to: columnCount * bandCount, by: bandCount) {
      for band in 0..<bandCount { values[row + band] -= means[band] }
    }
    return values
  }

  /// Takes from each value a part of those in the bands next to it: the partials of music are as narrow as the window
  /// makes them, those of a voice glide and are broader.
  private static func sharpened(_ whitened: [Float], columnCount: Int) -> [Float] {
    let bandCount = LandmarkSpectrum.bandCount
    var values = whitened
    for row in Swift.stride(from: 0, to: columnCount * bandCount, by: bandCount) {
      values[row] -= sharpness * whitened[row + 1]
      values[row + bandCount - 1] -= sharpness * whitened[row + bandCount - 2]
      for place in row + 1..<row + bandCount - 1 {
        values[place] -= sharpness * (whitened[place - 1] + whitened[place + 1])
      }
    }
    return values
  }
  private static let sharpness: Float = 0.3

  private static func flatness(of values: [Float]) -> Float {
    let limit = -0.75 * deviation(of: values)
    let count = values.reduce(0) { $0 + ($1 < limit ? 1 : 0) }
    return Float(count) / Float(max(1, values.count))
  }

  private static func deviation(of values: [Float]) -> Float {
    var sum = SIMD8<Float>.zero
    var index = 0
    while index + 8 <= values.count {
      var lanes = SIMD8<Float>.zero
      for lane in 0..<8 { lanes[lane] = values[index + lane] }
      sum += lanes * lanes
      index += 8
    }
    var total = sum.sum()
    while index < values.count {
      total += values[index] * values[index]
      index += 1
    }
    return values.isEmpty ? 0 : (total / Float(values.count)).squareRoot()
  }
}
