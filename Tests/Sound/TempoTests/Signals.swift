import Analysis
import DSP
import Glibc
import SystemPackage

@testable import Tempo

let sampleRate = 22_050.0

/// Deterministic pseudorandom numbers.
struct Randomness {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// Next number in −1..<1.
  mutating func next() -> Float {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(state >> 40) / Float(1 << 23) - 1
  }
}

/// Sound of one hit, with the spectrum of a kick, a snare, a hi-hat or a click.
enum Drum {
  case click, kick, snare, hat

  var samples: [Float] {
    var noise = Randomness(7)
    switch self {
    case .click: return [1, -0.8, 0.6, -0.4, 0.2]
    case .kick:
      return (0..<3000).map { index in
        let t = Float(index) / Float(sampleRate)
        return 0.9 * sin(2 * Float.pi * 60 * t) * exp(-18 * t)
      }
    case .snare: return (0..<2500).map { 0.5 * noise.next() * exp(-Float($0) / 500) }
    case .hat:
      var last: Float = 0
      return (0..<800).map { index in
        let value = noise.next()
        defer { last = value }
        return 0.25 * (value - last) * exp(-Float(index) / 200)
      }
    }
  }
}

/// Signal of a given length with hits at given times.
func signal(seconds: Double, _ tracks: [(drum: Drum, times: [Double])]) -> [Float] {
  var result = [Float](repeating: 0, count: Int(seconds * sampleRate))
  for (drum, times) in tracks {
    let hit = drum.samples
    for time in times {
      let start = Int((time * sampleRate).rounded())
      guard start >= 0 else { continue }
      for (offset, value) in hit.enumerated() where start + offset < result.count { result[start + offset] += value }
    }
  }
  return result
}

/// Times of a constant pulse.
func pulse(_ bpm: Double, from start: Double = 0.2, seconds: Double, every step: Double = 1, offset: Double = 0)
  -> [Double]
{
  Array(stride(from: start + offset * 60 / bpm, to: seconds, by: step * 60 / bpm))
}

func noise(seconds: Double, level: Float, seed: UInt64 = 1) -> [Float] {
  var source = Randomness(seed)
  return (0..<Int(seconds * sampleRate)).map { _ in level * source.next() }
}

/// Finding of the analyzer for a mono signal at 22,050 Hz that arrives in blocks.
func analyze(
  _ signal: [Float], block: Int = 16_384, _ configuration: TempoAnalyzer.Configuration = .init()
) throws -> TempoFinding {
  try analyze(signal, block: block, by: TempoAnalyzer(configuration).makeSession(for: AudioFile(path: "signal")))
}

/// Finding of a given session.
func analyze(_ signal: [Float], block: Int = 16_384, by session: TempoAnalyzer.Session) throws -> TempoFinding {
  var session = session
  var stft = STFT(windowLength: BandSpectrogram.layout.windowLength, hop: BandSpectrogram.layout.hop)
  var start = 0
  while start < signal.count {
    let end = min(start + block, signal.count)
    try stft.push(signal.span.extracting(start..<end)) { column, index throws(AnalysisError) in
      try session.consume(column, at: index)
    }
    start = end
  }
  try stft.finish { column, index throws(AnalysisError) in try session.consume(column, at: index) }
  return try session.finish()
}

/// Spectrum columns of a mono signal at 22,050 Hz.
func columns(of signal: [Float]) -> [[Float]] {
  var stft = STFT(windowLength: BandSpectrogram.layout.windowLength, hop: BandSpectrogram.layout.hop)
  var found: [[Float]] = []
  stft.push(signal.span) { column, _ in found.append((0..<column.count).map { column[$0] }) }
  stft.finish { column, _ in found.append((0..<column.count).map { column[$0] }) }
  return found
}

func bands(of signal: [Float]) -> BandSpectrogram {
  var bands = BandSpectrogram()
  for column in columns(of: signal) { bands.append(column.span) }
  return bands
}

/// The smaller of recall and precision: the share of true beats with a found beat within a tolerance, and of found
/// beats with a true one.
func agreement(_ found: [Double], _ truth: [Double], within tolerance: Double = 0.03, after start: Double = 0) -> Double
{
  func share(_ a: [Double], _ b: [Double]) -> Double {
    let inside = a.filter { $0 >= start }
    guard !inside.isEmpty else { return 0 }
    return Double(inside.filter { x in b.contains { abs($0 - x) <= tolerance } }.count) / Double(inside.count)
  }
  return min(share(found, truth), share(truth, found))
}

/// Kick on one and three, snare on two and four, hi-hat on every half beat.
func rockBeat(_ bpm: Double, seconds: Double, start: Double = 0.2) -> [Float] {
  signal(
    seconds: seconds,
    [
      (.kick, pulse(bpm, from: start, seconds: seconds, every: 2)),
      (.snare, pulse(bpm, from: start, seconds: seconds, every: 2, offset: 1)),
      (.hat, pulse(bpm, from: start, seconds: seconds, every: 0.5)),
    ])
}
