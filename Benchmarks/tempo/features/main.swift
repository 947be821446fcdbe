// Writes what the tempo analyzer is fitted to.
//
//   tempo-features spectra OUTPUT_DIRECTORY FILE.f32 …
//   tempo-features features OUTPUT_DIRECTORY < TABLE
//
// FILE.f32 is a recording: mono, 22,050 Hz, 32-bit floats without a header. `spectra` writes its bands for the training of the
// network, NAME.u8: column by column the logarithms that OnsetEnvelopes works with, 24 steps to the unit. `features` writes all
// hypotheses with their features and beats, NAME.json. TABLE has on each line a FILE.f32, a tab, and the weights (FILE.f32, too) of the
// network that shall hear it. Built by Benchmarks/tempo/refit.

import Analysis
import DSP
import Foundation

@testable import Tempo

struct Hypothesis: Encodable {
  var bpm: Double
  var isConstant: Bool
  var isBare: Bool
  /// In the order of `GridFeatures.names`.
  var features: [Float]
  /// Seconds.
  var beats: [Double]
}

struct Features: Encodable {
  var seconds: Double
  var clarity: Float
  var activity: [Float]
  /// Names of the features of all hypotheses.
  var names: [String]
  var hypotheses: [Hypothesis]
  /// The names of `accents`.
  var accentNames: [String]
  /// `BeatAccents.rows` of the beats of the best hypothesis.
  var accents: [[Float]]
  /// `BarProfile` of the same beats.
  var profile: [[Float]]
}

func floats(of path: String) throws -> [Float] {
  try Data(contentsOf: URL(fileURLWithPath: path)).withUnsafeBytes { bytes in
    (0..<bytes.count / 4).map { unsafe bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
  }
}

func bands(of samples: [Float]) -> BandSpectrogram {
  var stft = STFT(windowLength: BandSpectrogram.layout.windowLength, hop: BandSpectrogram.layout.hop)
  var bands = BandSpectrogram()
  stft.push(samples.span) { column, _ in bands.append(column) }
  stft.finish { column, _ in bands.append(column) }
  return bands
}

func spectrum(of path: String) throws -> Data {
  let bands = bands(of: try floats(of: path))
  let energy = bands.meanSquare
  let gain = energy > 0 ? 100 / energy : 0
  return Data(bands.powers.map { UInt8(min(255, (24 * 0.5 * log(1 + gain * Double($0))).rounded())) })
}

func features(of path: String, hearing network: BeatNetwork) throws -> Data {
  let samples = try floats(of: path)
  let survey = PulseSurvey(OnsetEnvelopes(bands(of: samples)), hearing: network)
  let hypotheses = survey.hypotheses(isWholeFile: true)
  let best = hypotheses.first.map { survey.beats(of: $0) } ?? []
  let features = Features(
    seconds: Double(samples.count) / 22_050, clarity: survey.tempogram.clarity,
    activity: (0..<8).map { survey.envelopes.activity[$0] }, names: GridFeatures.names,
    hypotheses: hypotheses.map { hypothesis in
      Hypothesis(
        bpm: hypothesis.candidate.bpm, isConstant: hypothesis.candidate.isConstant, isBare: hypothesis.isBare,
        features: hypothesis.features,
        beats: survey.beats(of: hypothesis).map {
          ($0 / OnsetEnvelopes.columnsPerSecond + StretchReading.onsetDelay).rounded(toPlaces: 4)
        })
    },
    accentNames: BeatAccents.names,
    accents: BeatAccents(survey.envelopes, at: best).rows(downbeats: survey.activation.downbeats(at: best)).map { row in
      row.indices.map { row[$0] }
    },
    profile: best.count < 2
      ? [] : BarProfile(survey.envelopes.values, over: BeatGrid(beats: best)).means.map { row in row.indices.map { row[$0] } })
  return try JSONEncoder().encode(features)
}

let arguments = CommandLine.arguments
guard arguments.count > 2, ["spectra", "features"].contains(arguments[1]) else {
  FileHandle.standardError.write(
    Data("usage: tempo-features spectra OUTPUT_DIRECTORY FILE.f32 … | features OUTPUT_DIRECTORY < TABLE\n".utf8))
  exit(64)
}
func write(_ data: Data, for path: String, as suffix: String) throws {
  let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  try data.write(to: URL(fileURLWithPath: arguments[2]).appendingPathComponent(name + suffix))
}
if arguments[1] == "spectra" {
  for path in arguments.dropFirst(3) { try write(spectrum(of: path), for: path, as: ".u8") }
} else {
  var networks: [String: BeatNetwork] = [:]
  while let line = readLine() {
    let columns = line.split(separator: "\t").map(String.init)
    guard columns.count == 2 else { continue }
    let network = try networks[columns[1]] ?? BeatNetwork(floats(of: columns[1]))
    networks[columns[1]] = network
    try write(features(of: columns[0], hearing: network), for: columns[0], as: ".json")
  }
}
