public import Analysis
internal import DSP

extension TempoFinding {
  /// Estimates the tempo and beats of PCM. The result is the same as that of `TempoAnalyzer`, with its default
  /// settings, for a file with these samples.
  ///
  ///     let tempo = TempoFinding(of: samples, sampleRate: 44_100)
  ///     print(tempo.bpm ?? 0, tempo.beats)
  ///
  /// The call blocks; a minute of audio takes about a hundredth of a second.
  ///
  /// - Parameters:
  ///   - samples: Mono samples, full scale ±1, all finite. The loudness does not matter.
  ///   - sampleRate: Sample rate in Hz, from 1,000 to 1,000,000.
  public init(of samples: [Float], sampleRate: Int) {
    precondition((1_000...1_000_000).contains(sampleRate), "sample rate out of range")
    let layout = BandSpectrogram.layout
    let resampler = ResamplerKind.soxr.makeResampler(from: sampleRate, to: layout.sampleRate)
    var resampled: [Float] = []
    var stft = STFT(windowLength: layout.windowLength, hop: layout.hop)
    var session = TempoAnalyzer.Session(TempoAnalyzer.Configuration())
    let blockLength = 16_384
    do throws(AnalysisError) {
      for start in stride(from: 0, to: samples.count, by: blockLength) {
        let range = start..<min(start + blockLength, samples.count)
        let count = resampler.push(samples.span.extracting(range), into: &resampled)
        try stft.push(resampled.span.extracting(first: count)) { (column, index) throws(AnalysisError) in
          try session.consume(column, at: index)
        }
      }
      let count = resampler.finish(into: &resampled)
      try stft.push(resampled.span.extracting(first: count)) { (column, index) throws(AnalysisError) in
        try session.consume(column, at: index)
      }
      try stft.finish { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
      self = try session.finish()
    } catch {
      preconditionFailure("columns have the layout that the session asks for: \(error)")
    }
  }
}
