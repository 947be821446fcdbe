// Writes what the choice of grid is fitted to: for each recording all candidates with their profiles, one JSON object a file.
//
//   swift build -c release -Xswiftc -enable-testing --product tempo-features
//   tempo-features OUTPUT_DIRECTORY FILE.f32 …        (mono, 22,050 Hz, 32-bit floats without a header)

import AudioAnalysis
import DSP
import Foundation

@testable import Tempo

struct Candidate: Encodable {
  var bpm: Double
  var isConstant: Bool
  var comb: Float
  var whole: Float
  var local: Float
  /// Columns; empty for a constant tempo, whose first beat is column 0.
  var beats: [Double]
  /// 96 positions of 8 lanes.
  var profile: [Float]
}

struct Features: Encodable {
  var id: String
  var columnCount: Int
  var activity: [Float]
  var clarity: Float
  var moves: Bool
  var candidates: [Candidate]
}

func lanes(_ value: OnsetEnvelopes.Lanes) -> [Float] { (0..<8).map { value[$0] } }

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
  let candidates = survey.candidates()
  let features = Features(
    id: url.deletingPathExtension().lastPathComponent, columnCount: bands.columnCount,
    activity: lanes(survey.envelopes.activity), clarity: survey.tempogram.clarity,
    moves: candidates.contains { !$0.isConstant },
    candidates: candidates.map {
      Candidate(
        bpm: $0.bpm, isConstant: $0.isConstant, comb: $0.comb, whole: $0.wholeSpectrum, local: $0.localSpectrum,
        beats: $0.isConstant ? [] : $0.grid.beats, profile: $0.profile.means.flatMap(lanes))
    })
  let output = URL(fileURLWithPath: arguments[1]).appendingPathComponent(features.id + ".json")
  try JSONEncoder().encode(features).write(to: output)
}
