internal import Analysis
internal import DSP
internal import Foundation

/// Detects lossless files whose audio was once lossy.
///
///     samples ─┬─ ExcerptCollection   up to 16 short excerpts from the whole file
///              │    ├─ FrameSearch    frames of MP3, MP2, AAC, Vorbis and Opus, at the common sample rates
///              │    └─ SpectralWall   upper end of the spectrum
///              └─ UsedBits            bits that are ever used
///                     └─ OriginDecision
///
/// docs/health.md describes the method and its accuracy.
struct OriginAnalyzer: Analyzer {
  static let id = "origin"
  static let version = 4
  static let summary = "Whether a lossless file was made from lossy audio, with evidence"

  init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  var feed: Feed { .samples(SampleLayout(rate: .native, channels: .native)) }

  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session {
    guard let format = file.format, format.sampleRate > 0, format.channelCount > 0 else {
      throw .notApplicable("There is no audio.")
    }
    guard format.isLossless else { throw .notApplicable("The file's codec is lossy.") }
    guard format.sampleRate >= 8000, format.sampleRate <= 768_000 else {
      throw .notApplicable("The sample rate is unusual.")
    }
    return Session(format)
  }

  struct Session: AnalysisSession {
    /// The sample rates of most codecs. Audio at another rate may have been resampled.
    private static let usualRates = [44_100, 48_000]
    /// Number of samples at each end of an excerpt that are distorted by resampling.
    private static let settling = 128

    private let sampleRate: Int
    private let channelCount: Int
    private let bitDepth: Int?
    private var excerpts: ExcerptCollection
    private var usedBits: UsedBits?

    init(_ format: AudioFormat) {
      sampleRate = format.sampleRate
      channelCount = format.channelCount
      // `Float` represents up to 24 bits exactly.
      bitDepth = format.codec.contains("_f") ? nil : format.bitDepth.flatMap { (9...24).contains($0) ? $0 : nil }
      usedBits = bitDepth.map { UsedBits(bits: $0) }
      // Excerpts also start at whole samples of the common rates.
      let rate = format.sampleRate
      let steps = Self.usualRates.map { rate / Self.divisor(rate, $0) }
      let alignment = steps[0] / Self.divisor(steps[0], steps[1]) * steps[1]
      let length = (FrameGrid.minLength + 2 * Self.settling) * max(1, (rate + 44_099) / 44_100)
      excerpts = ExcerptCollection(length: length, alignment: alignment, sampleRate: rate)
    }

    private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      guard values.count % channelCount == 0 else {
        throw .failed("\(values.count) samples are not whole frames of \(channelCount) channels")
      }
      usedBits?.push(values)
      excerpts.push(values, channelCount: channelCount, at: index)
    }

    mutating func finish() throws(AnalysisError) -> OriginFinding {
      var finding = OriginFinding()
      if let usedBits, let bitDepth, usedBits.hasSound {
        finding.usedBits = usedBits.used
        finding.isPadded = usedBits.used < bitDepth
      }
      finding.excerptCount = excerpts.excerpts.count
      guard !excerpts.excerpts.isEmpty, let wall = SpectralWall(excerpts.excerpts, sampleRate: sampleRate) else {
        finding.reason = excerpts.frameCount < Int64(excerpts.length) ? "too_short" : "quiet"
        return finding
      }
      OriginDecision(traces: traces(wall), wall: wall, sampleRate: sampleRate, excerptCount: finding.excerptCount)
        .write(to: &finding)
      return finding
    }

    /// Searches each excerpt for every codec, in one part of the coefficients; the part changes from excerpt to
    /// excerpt. All coefficients are searched only if the parts yield evidence. Resampled files are rare, so the search
    /// at another sample rate begins with every second excerpt.
    private func traces(_ wall: SpectralWall) -> [FrameSearch.Trace] {
      let rates = sampleRate < 40_000 ? [sampleRate] : Self.usualRates
      return rates.flatMap { rate -> [FrameSearch.Trace] in
        let step = rate == sampleRate ? 1 : 2
        let first = stride(from: 0, to: excerpts.excerpts.count, by: step).compactMap {
          part(of: excerpts.excerpts[$0], at: rate)
        }
        var search = FrameSearch(
          sampleRate: rate, end: wall.end, hasOpus: rate != 44_100 && wall.end <= OriginDecision.opusEnd)
        for (number, part) in first.enumerated() { search.add(part.channels, start: part.start, part: number) }
        search.narrow { OriginDecision.minMargin($0, wall) }
        guard search.isOpen else { return search.traces }
        for excerpt in excerpts.excerpts {
          guard let part = part(of: excerpt, at: rate) else { continue }
          search.add(part.channels, start: part.start, part: nil)
        }
        return search.traces
      }
    }

    /// Resamples an excerpt. Returns `nil` if it becomes too short.
    private func part(of excerpt: ExcerptCollection.Excerpt, at rate: Int) -> ExcerptCollection.Excerpt? {
      if rate == sampleRate { return excerpt }
      let channels = excerpt.channels.map { resampled($0, to: rate) }
      guard channels[0].count >= FrameGrid.minLength else { return nil }
      return ExcerptCollection.Excerpt(
        start: excerpt.start * Int64(rate) / Int64(sampleRate) + Int64(Self.settling), channels: channels)
    }

    /// Resamples, and drops the first samples because the filter lacks input for them.
    private func resampled(_ samples: [Float], to rate: Int) -> [Float] {
      let resampler = SoxrResampler(inputRate: sampleRate, outputRate: rate)
      var (part, result): ([Float], [Float]) = ([], [])
      let pushed = resampler.push(samples.span, into: &part)
      result += part[..<pushed]
      let rest = resampler.finish(into: &part)
      result += part[..<rest]
      return Array(result.dropFirst(Self.settling))
    }
  }
}
