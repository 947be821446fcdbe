import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// The commands that write waveform data for other programs to draw.
@Suite(.bounded) struct WaveformTests {
  /// Version 2 of the data format, as doc/DataFormat.md of audiowaveform has it.
  private struct DatFile {
    var header: [Int32] = []
    var values: [Int] = []

    init(_ bytes: [UInt8]) throws {
      try #require(bytes.count >= 24)
      func word(_ start: Int) -> Int32 { (0..<4).reduce(0) { $0 | Int32(bytes[start + $1]) << (8 * Int32($1)) } }
      header = (0..<6).map { word(4 * $0) }
      let data = Array(bytes[24...])
      if header[1] & 1 == 1 {
        values = data.map { Int(Int8(bitPattern: $0)) }
      } else {
        values = stride(from: 0, to: data.count, by: 2).map {
          Int(Int16(bitPattern: UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8))
        }
      }
    }
  }

  @Test func audiowaveformsFormats() throws {
    let place = try Workplace()
    let signal = Signal.chords(sampleRate: 11_025, seconds: 5)
    try place.put(WAVFile(signal).bytes, as: "a/song.wav")
    try place.put(Array("no audio".utf8), as: "a/notes.wav")
    _ = try place.run(pipeline: "default")
    let database = Argument(place.database)

    let json = try place.analyze("waveform", "library/a/song.wav", "--database", database)
    #expect(json.status == 0 && json.errors == "")
    let object = try JSONValue(parsing: json.output)
    #expect(object["version"] == 2 && object["channels"] == 1 && object["sample_rate"] == 11_025 && object["bits"] == 8)
    let values = object["data"].elements
    guard case .integer(let step) = object["samples_per_pixel"], case .integer(let length) = object["length"] else {
      Issue.record("no numbers")
      return
    }
    let samples = signal.mono
    #expect(length == Int64((samples.count + Int(step) - 1) / Int(step)) && values.count == 2 * Int(length))
    for pixel in 0..<Int(length) {
      let part = samples[pixel * Int(step)..<min((pixel + 1) * Int(step), samples.count)]
      guard case .integer(let low) = values[2 * pixel], case .integer(let high) = values[2 * pixel + 1]
      else { continue }
      #expect(abs(Double(part.min() ?? 0) * 128 - Double(low)) < 1.5)
      #expect(abs(Double(part.max() ?? 0) * 128 - Double(high)) < 1.5)
    }

    // The same in bytes, in folders as in the library.
    let export = try place.analyze(
      "waveform", "library", "--format", "dat", "--output", "waves", "--database", database)
    #expect(export.status == 0 && export.text == "")
    let file = place.folder.file("waves/a/song.wav.dat")
    let dat = try DatFile(Array(Data(contentsOf: URL(filePath: file.string))))
    #expect(dat.header == [2, 1, 11_025, Int32(step), Int32(length), 1])
    #expect(dat.values.map { .integer(Int64($0)) } == values)
    #expect(!FileManager.default.fileExists(atPath: place.folder.file("waves/a/notes.wav.dat").string))

    let fine = try place.analyze(
      "waveform", "library/a/song.wav", "--format", "dat", "--bits", "16", "--database", database)
    let words = try DatFile(fine.output)
    #expect(words.header[1] == 0 && words.values.count == dat.values.count)
    #expect(zip(words.values, dat.values).allSatisfy { abs(Double($0) / 256 - Double($1)) <= 0.51 })

    // Reports have the lists if requested.
    let plain = try place.analyze("show", "library/a/song.wav", "--json", "--database", database)
    let full = try place.analyze(
      "show", "library/a/song.wav", "--json", "--include", "waveform", "--database", database)
    #expect(try JSONValue(parsing: plain.output)["findings"]["waveform"]["rms"] == .null)
    let waveform = try JSONValue(parsing: full.output)["waveform"]
    #expect(waveform["rms"].elements.count == Int(length) && waveform["points"] == .integer(length))
    #expect(waveform["onsets"].elements.contains { $0 != 0 })
  }

  @Test func whatCannotBeWritten() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a/song.wav")
    try place.put(Audio.wav(2), as: "b/song.wav")
    _ = try place.run()
    let database = Argument(place.database)
    func errors(_ arguments: Argument...) throws -> String {
      let outcome = try place.start(["waveform"] + arguments + ["--database", database]).end()
      #expect(outcome.status != 0 && outcome.text == "")
      return outcome.errors
    }
    #expect(try errors("library/a/song.wav").contains("has `waveform`"))
    #expect(try errors("library/c.wav").contains("is not in the database"))
    #expect(try errors("library").contains("--output DIR"))
    #expect(try errors("library/a/song.wav", "--format", "png").contains("json or dat"))
    #expect(try errors("library/a/song.wav", "--bits", "12").contains("8 or 16"))
    _ = try place.run(pipeline: "default")
    let same = try errors("library/a/song.wav", "library/b/song.wav", "--output", "waves")
    #expect(same.contains("common folder"))
  }
}
