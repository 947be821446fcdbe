internal import Analysis
internal import DSP

/// Finds silence, fades, and cues on the beats that `tempo` found. The highlight also depends on the sections that
/// `sections` found.
///
/// - `SilenceEnds`: the first and the last audible sample.
/// - `LevelCurve`: the level and the bass over time.
/// - `Fade`: the fades at both ends.
/// - `Groove`: the end of the intro and the start of the outro.
/// - `CuePoints`: the first beat, the highlight and the transitions, on beats.
struct CuesAnalyzer: Analyzer {
  static let id = "cues"
  static let version = 3
  static let summary = "Silence, fades, first beat, intro, outro, highlight and mix points"
  static let reads = ["tempo", "sections"]

  init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  var feed: Feed { .samples(SampleLayout(rate: .native, channels: .native)) }

  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session {
    guard let format = file.format, format.sampleRate > 0, format.channelCount > 0 else {
      throw .notApplicable("There is no audio.")
    }
    return Session(sampleRate: format.sampleRate, channelCount: format.channelCount)
  }

  struct Session: AnalysisSession {
    private let sampleRate: Int
    private let channelCount: Int
    private var ends = SilenceEnds()
    private var curve: LevelCurve
    private var frameCount: Int64 = 0

    init(sampleRate: Int, channelCount: Int) {
      self.sampleRate = sampleRate
      self.channelCount = channelCount
      curve = LevelCurve(sampleRate: sampleRate, channelCount: channelCount)
    }

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      guard values.count.isMultiple(of: channelCount) else {
        throw .failed("\(values.count) values are not whole frames of \(channelCount) channels")
      }
      ends.append(values, channelCount: channelCount, at: frameCount)
      curve.append(values)
      frameCount += Int64(values.count / channelCount)
    }

    mutating func finish() throws(AnalysisError) -> CuesFinding { try finish(after: EarlierFindings()) }

    mutating func finish(after earlier: EarlierFindings) throws(AnalysisError) -> CuesFinding {
      curve.finish()
      var finding = CuesFinding()
      guard let first = ends.first, let last = ends.last else {
        finding.reason = "silence"
        return finding
      }
      let sound = seconds(first)...seconds(last + 1)
      let slotSeconds = Double(curve.slotLength) / Double(sampleRate)
      let slots = curve.slots
      let fadeIn = self.fadeIn(slots, slotSeconds, sound)
      let fadeOut = self.fadeOut(slots, slotSeconds, sound)
      finding.leadingSilence = sound.lowerBound.rounded(toPlaces: 6)
      finding.trailingSilence = seconds(frameCount - last - 1).rounded(toPlaces: 6)
      finding.fadeIn = fadeIn.rounded(toPlaces: 2)
      finding.fadeOut = fadeOut.rounded(toPlaces: 2)
      let energies = Energies(slots, slotSeconds: slotSeconds)
      guard let tempo = earlier[TempoFinding.self],
        let points = CuePoints(
          tempo, sections: earlier[SectionsFinding.self]?.map ?? [], sound: sound, energy: { energies.until($0) })
      else {
        finding.reason = "no_beats"
        return finding
      }
      let (fadeInEnd, fadeOutStart) = (sound.lowerBound + fadeIn, sound.upperBound - fadeOut)
      finding.firstBeat = points.firstBeat(fadeInEnd: fadeInEnd).rounded(toPlaces: 3)
      let highlight = points.highlight
      finding.highlightStart = highlight.lowerBound.rounded(toPlaces: 3)
      finding.highlightEnd = highlight.upperBound.rounded(toPlaces: 3)
      guard
        let groove = points.groove(slots, slotSeconds: slotSeconds, fadeInEnd: fadeInEnd, fadeOutStart: fadeOutStart)
      else { return finding }
      let (introEnd, outroStart) = (groove.start, groove.end)
      finding.introEnd = points.time(introEnd).rounded(toPlaces: 3)
      finding.outroStart = points.time(outroStart).rounded(toPlaces: 3)
      if let mix = points.transitions(introEnd: introEnd, outroStart: outroStart) {
        finding.mixInStart = mix.in.lowerBound.rounded(toPlaces: 3)
        finding.mixInEnd = mix.in.upperBound.rounded(toPlaces: 3)
        finding.mixOutStart = mix.out.lowerBound.rounded(toPlaces: 3)
        finding.mixOutEnd = mix.out.upperBound.rounded(toPlaces: 3)
      }
      return finding
    }

    private func seconds(_ frames: Int64) -> Double { Double(frames) / Double(sampleRate) }

    private func fadeIn(_ slots: [LevelCurve.Slot], _ slotSeconds: Double, _ sound: ClosedRange<Double>) -> Double {
      let first = min(Int(sound.lowerBound / slotSeconds), slots.count - 1)
      let fade = Fade(
        slots[first...].lazy.map(\.energy), slotSeconds: slotSeconds,
        offset: sound.lowerBound - Double(first) * slotSeconds)
      return fade?.length ?? 0
    }

    private func fadeOut(_ slots: [LevelCurve.Slot], _ slotSeconds: Double, _ sound: ClosedRange<Double>) -> Double {
      let last = min(Int(sound.upperBound / slotSeconds), slots.count - 1)
      let fade = Fade(
        slots[...last].reversed().lazy.map(\.energy), slotSeconds: slotSeconds,
        offset: Double(last + 1) * slotSeconds - sound.upperBound)
      return fade?.length ?? 0
    }
  }
}

/// The cumulative energy of the whole signal and that of the bass, from the start of a track.
private struct Energies {
  private var sums: [SIMD2<Double>] = [.zero]
  private let slotSeconds: Double

  init(_ slots: [LevelCurve.Slot], slotSeconds: Double) {
    self.slotSeconds = slotSeconds
    for slot in slots { sums.append(sums[sums.count - 1] + SIMD2(Double(slot.energy), Double(slot.bass))) }
  }

  func until(_ seconds: Double) -> SIMD2<Double> {
    let position = min(max(0, seconds / slotSeconds), Double(sums.count - 1))
    let index = min(Int(position), sums.count - 2)
    return sums[index] + (sums[index + 1] - sums[index]) * (position - Double(index))
  }
}
