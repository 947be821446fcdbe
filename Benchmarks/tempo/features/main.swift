// Writes what the choice of grid is fitted to: for each recording all hypotheses with their features and beats, one JSON object a file.
//
//   tempo-features OUTPUT_DIRECTORY FILE.f32 …        (mono, 22,050 Hz, 32-bit floats without a header)
//
// Built by Benchmarks/tempo/refit.

import AudioAnalysis
import DSP
import Foundation

@testable import Tempo

struct Hypothesis: Encodable {
  var bpm: Double
  var isConstant: Bool
  var isBare: Bool
  /// `GridFeatures`, in their order.
  var features: [Float]
  /// Seconds.
  var beats: [Double]
}

struct Features: Encodable {
  var id: String
  var seconds: Double
  var clarity: Float
  var activity: [Float]
  var hypotheses: [Hypothesis]
  /// Eight lanes for each beat of the best hypothesis.
  var accents: [[Float]]
}

let arguments = CommandLine.arguments
guard arguments.count > 2 else {
  FileHandle.standardError.write(Data("usage: tempo-features OUTPUT_DIRECTORY FILE.f32 …\n".utf8))
  exit(64)
}
for path in arguments.dropFirst(2) {
  let url = URL(fileURLWithPath: path)
  let samples = try Data(contentsOf: url).withUnsafeBytes { bytes in
    (0..<bytes.count / 4).map { unsafe bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
  }
  var stft = STFT(windowLength: BandSpectrogram.layout.windowLength, hop: BandSpectrogram.layout.hop)
  var bands = BandSpectrogram()
  stft.push(samples.span) { column, _ in bands.append(column) }
  stft.finish { column, _ in bands.append(column) }
  let survey = PulseSurvey(OnsetEnvelopes(bands))
  let hypotheses = survey.hypotheses(isWholeFile: true)
  let best = hypotheses.first.map { survey.beats(of: $0) } ?? []
  let features = Features(
    id: url.deletingPathExtension().lastPathComponent, seconds: Double(samples.count) / 22_050,
    clarity: survey.tempogram.clarity, activity: (0..<8).map { survey.envelopes.activity[$0] },
    hypotheses: hypotheses.map { hypothesis in
      Hypothesis(
        bpm: hypothesis.candidate.bpm, isConstant: hypothesis.candidate.isConstant, isBare: hypothesis.isBare, features: hypothesis.features,
        beats: survey.beats(of: hypothesis).map {
          ($0 / OnsetEnvelopes.columnsPerSecond + StretchReading.onsetDelay).rounded(toPlaces: 4)
        })
    },
    accents: BeatAccents(survey.envelopes, at: best).values.map { value in (0..<8).map { value[$0] } })
  let output = URL(fileURLWithPath: arguments[1]).appendingPathComponent(features.id + ".json")
  try JSONEncoder().encode(features).write(to: output)
}
