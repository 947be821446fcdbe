import Analysis
import AnalysisTesting
import AudioDecoding
import Foundation
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

@testable import Fpcalc

/// The output for a file, and the conditions under which a stored fingerprint is used.
@Suite(.bounded) struct `Fingerprints of files` {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private struct Answer: Equatable {
    var verdict: FileVerdict
    var printed = ""
    var complaints: [String] = []
  }

  private func answer(
    _ path: FilePath, database: FilePath? = nil, _ change: (inout FpcalcOptions) -> Void = { _ in }
  ) -> Answer {
    var options = FpcalcOptions()
    change(&options)
    var answer = Answer(verdict: .failed)
    answer.verdict = FileFingerprint(options, database: { database }).make(
      .file(path), print: { answer.printed += $0 }, complain: { answer.complaints.append($0) })
    return answer
  }

  // MARK: Decoded files

  @Test func `have one value and a duration`() throws {
    let path = try folder.write(.noise(sampleRate: 8_000, seconds: 4.5), as: "a.wav")
    let text = answer(path)
    #expect(text.verdict == .fine && text.complaints.isEmpty)
    #expect(text.printed.hasPrefix("DURATION=4\nFINGERPRINT=AQA") && text.printed.split(separator: "\n").count == 2)
    #expect(answer(path) { $0.output = .json }.printed.hasPrefix("{\"duration\": 4.50, \"fingerprint\": \"AQA"))
    let words = answer(path) { ($0.output, $0.isRaw) = (.json, true) }.printed
    #expect(words.hasPrefix("{\"duration\": 4.50, \"fingerprint\": [") && words.hasSuffix("]}\n"))
    let chunks = answer(path) { ($0.chunk, $0.output) = (4.25, .json) }
    #expect(chunks.printed.hasPrefix("{\"timestamp\": 0.00, \"duration\": 4.25, ") && chunks.verdict == .fine)
  }

  /// Chunks are separated by empty lines.
  @Test func `may have several chunks`() throws {
    let path = try folder.write(.noise(sampleRate: 8_000, seconds: 8.5), as: "a.wav")
    let lines = answer(path) { $0.chunk = 4 }.printed.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.map { $0.prefix(9) } == ["DURATION=", "FINGERPRI", "", "DURATION=", "FINGERPRI", ""])
    let before = Date().timeIntervalSince1970
    let clock = answer(path) { ($0.chunk, $0.usesClock) = (4, true) }.printed
    let times = clock.split(separator: "\n").filter { $0.hasPrefix("TIMESTAMP=") }.compactMap {
      Double($0.dropFirst(10))
    }
    #expect(times.count == 2 && times.allSatisfy { abs($0 - before) < 600 } && times == times.sorted())
  }

  @Test func `that are loud are cut at full scale`() throws {
    let music = Signal.chords(sampleRate: 11_025, seconds: 5)
    let path = try folder.write(music.scaled(by: 0.5), as: "a.wav", encoding: .float32)
    let loud = try folder.write(music.scaled(by: 3_000), as: "b.wav", encoding: .float32)
    #expect(answer(path).verdict == .fine && answer(loud).verdict == .fine)
  }

  @Test func `that are too short keep their place`() throws {
    let path = try folder.write(.noise(sampleRate: 8_000, seconds: 2.5), as: "a.wav")
    let complaint = "Less than 2.8 s of audio is too short for a fingerprint."
    #expect(answer(path) == Answer(verdict: .tooShort, printed: "DURATION=2\n", complaints: [complaint]))
    #expect(answer(path) { $0.isRaw = true }.printed == "DURATION=2\n")
    let raw = answer(path) { ($0.isRaw, $0.output) = (true, .json) }
    #expect(raw.printed == "{\"duration\": 2.50, \"fingerprint\": []}\n")
    let cut = try folder.write(
      WAVFile(.noise(sampleRate: 8_000, seconds: 4), claimedFrameCount: 80_000).bytes, as: "cut.wav")
    // A file that is cut off is no failure, as in Chromaprint's program.
    #expect(answer(cut).verdict == .fine && answer(cut).complaints.isEmpty)
  }

  @Test func `that cannot be read have a reason`() throws {
    let words = try folder.write(Array("no music".utf8), as: "words.wav")
    for path in [words, folder.file("none.wav"), folder.path] {
      let answer = answer(path)
      #expect(answer.verdict == .failed && answer.printed == "" && answer.complaints.count == 1)
      #expect(answer.complaints.first?.isEmpty == false)
    }
  }

  @Test func `without a header have the given format`() throws {
    let bytes = WAVFile(.noise(sampleRate: 8_000, seconds: 4)).bytes.dropFirst(44)
    let path = try folder.write(Array(bytes), as: "bare")
    let known = try folder.write(.noise(sampleRate: 8_000, seconds: 4), as: "a.wav")
    let bare = answer(path) { options in
      options.demuxer = "s16le"
      options.bare = BareAudio(sampleRate: 8_000, channelCount: 1)
    }
    #expect(bare.verdict == .fine && bare.printed == answer(known).printed)
    #expect(answer(path).verdict == .failed)
  }

  // MARK: Known files

  /// Returns the answer for a file that is no audio, so that it can come from the database only.
  private func known(
    covered: Double, of seconds: Double, algorithm: String = "chromaprint-2", name: String = "file",
    _ change: (inout FpcalcOptions) -> Void = { _ in }
  ) throws -> Answer {
    let path = try folder.write(Array("no music".utf8), as: name)
    let database = folder.file("\(UUID().uuidString).sqlite")
    let identity = try #require(FileIdentity(path))
    var file = LibraryFile(path: path, tags: [:])
    (file.sizeBytes, file.modified) = (identity.size, identity.modified)
    file.format.frameCount = Int64(seconds * 44_100)
    file.format.claimedFrameCount = file.format.frameCount.map { $0 + 44_100 }
    file.findings = [
      (
        "chromaprint",
        FingerprintFinding(algorithm: algorithm, duration: covered, value: UntidyLibrary.fingerprints[0])
      )
    ]
    let store = try ResultStore(path: database, findings: ScannedLibrary.findings)
    try LibraryFiles([file]).merge(into: store)
    return answer(path, database: database, change)
  }

  @Test(
    arguments: [
      (120, 300, 120, true), (119, 300, 120, false), (100, 300, 100, true), (100, 100, 120, true),
      (99.75, 100, 120, true), (99.7, 100, 120, false), (150, 150, 120, false), (300, 300, 0, true),
      (299.75, 300, 0, true), (299.7, 300, 0, false), (120, 300, 0, false), (120, 120, 120, true),
    ] as [(Double, Double, Double, Bool)])
  func `of the wanted length are known`(covered: Double, seconds: Double, length: Double, isKnown: Bool) throws {
    let answer = try known(covered: covered, of: seconds) { $0.length = length }
    #expect(answer.verdict == (isKnown ? .fine : .failed))
    guard isKnown else { return }
    let text = "DURATION=\(Int(seconds) + 1)\nFINGERPRINT=\(UntidyLibrary.fingerprints[0])\n"
    #expect(answer == Answer(verdict: .fine, printed: text))
  }

  @Test func `are not taken from the database for other wishes`() throws {
    let changes: [(inout FpcalcOptions) -> Void] = [
      { $0.chunk = 10 }, { $0.demuxer = "wav" }, { $0.algorithm = 3 }, { $0.usesClock = true },
    ]
    for change in changes { #expect(try known(covered: 120, of: 300, change).verdict == .failed) }
    #expect(try known(covered: 120, of: 300, algorithm: "chromaprint-1").verdict == .failed)
    let raw = try known(covered: 120, of: 300.5) { ($0.isRaw, $0.output) = (true, .json) }
    #expect(raw.verdict == .fine && raw.printed.hasPrefix("{\"duration\": 301.50, \"fingerprint\": ["))
    #expect(raw.printed.split(separator: ",").count > 20)
  }
}

@Suite(.bounded) struct `Texts of records` {
  private func text(
    _ value: FingerprintRecord.Value, isFirst: Bool = true, _ change: (inout FpcalcOptions) -> Void
  ) -> String {
    var options = FpcalcOptions()
    change(&options)
    return FpcalcText(options: options).text(
      of: FingerprintRecord(value: value, duration: 7.899, timestamp: 12.25), isFirst: isFirst)
  }

  @Test func `depend on the options`() {
    let words = FingerprintRecord.Value.words([1, 0xFFFF_FFFF])
    #expect(text(.text("A")) { $0.output = .plain } == "A\n")
    #expect(text(words) { $0.output = .plain } == "1,4294967295\n")
    #expect(text(words) { ($0.output, $0.isSigned) = (.plain, true) } == "1,-1\n")
    #expect(text(.text("A")) { $0.output = .json } == "{\"duration\": 7.90, \"fingerprint\": \"A\"}\n")
    #expect(
      text(words) { ($0.output, $0.isRaw, $0.chunk) = (.json, true, 1) }
        == "{\"timestamp\": 12.25, \"duration\": 7.90, \"fingerprint\": [1,4294967295]}\n")
    #expect(text(.text("A")) { _ in } == "DURATION=7\nFINGERPRINT=A\n")
    #expect(text(.text("A"), isFirst: false) { _ in } == "\nDURATION=7\nFINGERPRINT=A\n")
    #expect(text(.text("")) { _ in } == "DURATION=7\n" && text(.words([])) { _ in } == "DURATION=7\n")
    #expect(text(.text("A")) { $0.usesClock = true } == "TIMESTAMP=12.25\nDURATION=7\nFINGERPRINT=A\n")
  }
}
