import AnalysisTesting
import AudioDecoding
import Foundation
import Glibc
import SystemPackage
import Testing
import Text

/// `match --split`, over a catalog that `catalog build` has made of a library.
@Suite(.bounded) struct SplitTests {
  /// A mix of three tracks: hard cut, 20 s of something else, cross-fade of 4 s.
  private func workplace() throws -> Workplace {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build").status == 0)
    let noise = Signal.noise(seed: 9, amplitude: 0.2, sampleRate: Tracks.sampleRate, seconds: 20)
    var samples = Tracks.joined([Tracks.signals[0], noise, Tracks.cut(Tracks.signals[1], from: 0, seconds: 20)])
      .channels[0]
    let next = Tracks.signals[2].channels[0]
    let fade = 4 * Tracks.sampleRate
    let start = samples.count - fade
    for index in 0..<fade {
      let share = Float(index) / Float(fade)
      samples[start + index] = samples[start + index] * (1 - share) + next[index] * share
    }
    samples += next[fade...]
    try place.write(
      WAVFile(Signal(sampleRate: Tracks.sampleRate, channels: [samples])).bytes, to: place.folder.file("mix.wav"))
    return place
  }

  private func samples(_ path: String) throws -> [Float] {
    var audio = try AudioSource(path: FilePath(path))
    var block = AudioBlock(channelCount: 1)
    var samples: [Float] = []
    while audio.read(into: &block) { samples += block.samples[block.range(ofChannel: 0)] }
    return samples
  }

  @Test func aMixIsCutIntoItsTracks() throws {
    let place = try workplace()
    let json = try place.match("mix.wav", "--split", "pieces", "--json")
    #expect(json.status == 0 && json.errors == "", "\(json.errors)")
    try Tracks.checkSchema("match", json)
    let split = try JSONValue(parsing: json.output)["split"]
    #expect(split["method"] == "flac" && split["precision_s"].numberValue == 0 && split["damage"] == .null)
    let pieces = split["pieces"].elements
    #expect(pieces.map { $0["title"].textValue } == ["First", "", "Second", "Third"])
    try #require(pieces.count == 4)
    for (piece, start) in zip(pieces, [0, 24, 44, 62.0]) {
      #expect(abs(piece["start_s"].numberValue - start) < 1, "\(piece)")
    }
    #expect(abs(pieces[3]["overlap_s"].numberValue - 4) < 2 && pieces[0]["overlap_s"].numberValue == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.file("pieces").string).sorted()
    #expect(names == ["01 First.flac", "02 unknown 0-2\(names[1].suffix(6))", "03 Second.flac", "04 Third.flac"])
    #expect(try pieces.flatMap { try samples($0["path"].textValue) } == samples(place.folder.file("mix.wav").string))

    // The pieces are found again, by their sound and by their tags.
    let heard = try place.match(Argument(stringLiteral: "pieces/04 Third.flac"), "--json")
    #expect(try JSONValue(parsing: heard.output)["tracks"].elements.map { $0["title"] } == ["Third"])
    let run = try place.run(paths: ["pieces"], pipeline: "tags-only")
    #expect(run.file("04 Third.flac")["tags"]["title"] == "Third")
    #expect(run.file("04 Third.flac")["tags"]["track"] == 4 && run.file("04 Third.flac")["tags"]["tracktotal"] == 4)

    // Pieces of another recording are not replaced, those of this one are.
    try FileManager.default.copyItem(
      atPath: place.folder.file("mix.wav").string, toPath: place.folder.file("other mix.wav").string)
    let other = try place.match("other mix.wav", "--split", "pieces")
    #expect(other.status == 1 && other.errors.contains("exists, and so do 3 other files") && other.text == "")
    #expect(other.errors.contains("--force"), "\(other.errors)")
    let text = try place.match("mix.wav", "--split", "pieces")
    #expect(
      text.status == 0 && text.text.contains("4 files in \(place.folder.file("pieces")): FLAC, cut to the sample"))
    #expect(text.text.contains("04 Third.flac\n      sounds together with the track before for "))
  }

  @Test func whatCannotBeSplit() throws {
    let place = try workplace()
    for arguments: [Argument] in [
      ["mix.wav", "library/a.wav", "--split", "pieces"], ["-", "--split", "pieces"], ["mix.wav", "--force"],
    ] {
      #expect(try place.start(["match"] + arguments + ["--catalog", place.catalogFolder]).end().status == 64)
    }
    let file = try place.match("mix.wav", "--split", "mix.wav")
    #expect(file.status == 1 && file.errors.contains("not a writable folder"))
    let missing = try place.match("none.wav", "--split", "pieces")
    #expect(missing.status == 1 && missing.errors.contains("none.wav"))
    // Nothing is written if nothing is recognized.
    try place.write(Audio.wav(40), to: place.folder.file("other.wav"))
    let nothing = try place.match("other.wav", "--split", "pieces")
    #expect(nothing.status == 0 && nothing.text.contains("nothing recognized"))
    #expect(!FileManager.default.fileExists(atPath: place.folder.file("pieces").string))
  }

  /// Reaching the limit of file size is like a full disk.
  @Test(.disabled(if: isSanitized, "the thread sanitizer writes a larger file when a program starts"))
  func aFullDiskLeavesNoPartOfAFile() throws {
    let place = try workplace()
    let script = "ulimit -f 300; exec \"$0\" match mix.wav --split pieces --catalog \"$1\""
    let process = try RunningProgram(
      ["-c", Argument(stringLiteral: script), Argument(RunningProgram.executable), place.catalogFolder], of: "/bin/sh",
      environment: place.environment, workingFolder: place.folder.path
    ).end()
    #expect(process.status == 1 && process.errors.contains("of 4 files"), "\(process.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.file("pieces").string)
    #expect(names.allSatisfy { !$0.hasPrefix(".") }, "\(names)")
  }
}
