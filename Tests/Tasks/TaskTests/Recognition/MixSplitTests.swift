import AnalysisTesting
import AudioDecoding
import AudioEncoding
import CLibAV
import Foundation
import Platform
import RecognitionTasks
import SystemPackage
import Testing

/// Splitting recordings into files.
@Suite(.bounded) struct MixSplitTests {
  private let folder: TemporaryDirectory
  private var output: FilePath { folder.file("pieces") }

  init() throws {
    folder = try TemporaryDirectory()
  }

  /// Three pieces: a track, an unrecognized stretch, another track.
  private func split(
    _ recording: FilePath, duration: Double, force: Bool = false,
    isCancelled: @escaping (Double) -> Bool = { _ in false }
  ) throws -> MixSplit.Outcome {
    let sheet = try Cues.sheet(
      [
        .init(0, 0.31 * duration, from: 100, artist: "Ärzte/x", title: "Eins"),
        .init(duration - 3.7, duration, from: 100, title: "Zwei"),
      ], duration: duration)
    var done = 0.0
    return try MixSplit(of: recording, into: output, OverwriteRule(allowsOthers: force)).perform(
      sheet, progress: { done = $0 }, isCancelled: { isCancelled(done) })
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: output.string).sorted() }
  }

  private static func samples(_ path: FilePath) throws -> [[Float]] {
    var audio = try AudioSource(path: path)
    var block = AudioBlock(channelCount: audio.format.channelCount)
    var channels = [[Float]](repeating: [], count: audio.format.channelCount)
    while audio.read(into: &block) {
      for channel in channels.indices { channels[channel] += block.samples[block.range(ofChannel: channel)] }
    }
    return channels
  }

  /// The bytes of all packets.
  private static func packets(_ path: FilePath) throws -> [[UInt8]] {
    let source = try PacketSource(path: path)
    var packets: [[UInt8]] = []
    var packet = LAVPacket()
    while lav_next_packet(source.reader, &packet) {
      packets.append(Array(UnsafeBufferPointer(start: packet.bytes, count: Int(packet.count))))
    }
    return packets
  }

  @Test(arguments: [WAVFile.Encoding.pcm16, .pcm24]) func samplesComeOutBitForBit(encoding: WAVFile.Encoding) throws {
    let noise = [UInt64(1), 2].map { Signal.noise(seed: $0, amplitude: 1, sampleRate: 8_000, seconds: 31).channels[0] }
    let recording = try folder.write(Signal(sampleRate: 8_000, channels: noise), as: "mix.wav", encoding: encoding)
    let outcome = try split(recording, duration: 31)
    #expect(outcome.method == .flac && outcome.precision == 0 && outcome.damage == nil)
    #expect(try names == ["01 Ärzte_x - Eins.flac", "02 unknown 0-09.flac", "03 Zwei.flac"])
    #expect(outcome.files.map { $0.path.lastComponent?.string } == (try names))
    var joined = [[Float]](repeating: [], count: 2)
    for file in outcome.files {
      let audio = try AudioSource(path: file.path)
      #expect(audio.format.bitDepth == (encoding == .pcm16 ? 16 : 24))
      let samples = try Self.samples(file.path)
      #expect(abs(Double(samples[0].count) / 8_000 - file.piece.duration) < 1e-9)
      for channel in 0..<2 { joined[channel] += samples[channel] }
    }
    #expect(try joined == Self.samples(recording))
  }

  @Test(arguments: ["rocker-ronni.mp3", "hell.ogg", "coherence.opus", "through-space.m4a"])
  func packetsAreCopied(name: String) throws {
    let recording = Self.music.appending(name)
    let whole = try Self.samples(recording)
    let audio = try AudioSource(path: recording)
    let duration = Double(whole[0].count) / Double(audio.format.sampleRate)
    let outcome = try split(recording, duration: duration)
    #expect(outcome.method == .copy && outcome.files.count == 3)
    #expect(outcome.precision > 0 && outcome.precision < 0.02)
    #expect(try outcome.files.flatMap { try Self.packets($0.path) } == Self.packets(recording))
    for (file, planned) in zip(outcome.files, [0, 0.31 * duration, duration - 3.7]) {
      #expect(abs(file.piece.start - planned) <= outcome.precision + 1e-6)
      // A decoder that starts in the middle of a stream lacks only a short part.
      let samples = try Self.samples(file.path)
      #expect(abs(Double(samples[0].count) / Double(audio.format.sampleRate) - file.piece.duration) < 0.15)
    }
    #expect(zip(outcome.files, outcome.files.dropFirst()).allSatisfy { $0.piece.end == $1.piece.start })
  }

  @Test func floatsAreCopied() throws {
    let recording = try folder.write(
      .noise(amplitude: 1.5, sampleRate: 8_000, seconds: 31), as: "mix.wav", encoding: .float32)
    let outcome = try split(recording, duration: 31)
    #expect(try outcome.method == .copy && names.allSatisfy { $0.hasSuffix(".wav") })
    #expect(try outcome.files.flatMap { try Self.samples($0.path)[0] } == Self.samples(recording)[0])
  }

  @Test func nothingIsReplacedUnlessAsked() throws {
    let recording = try folder.write(.noise(sampleRate: 8_000, seconds: 31), as: "mix.wav")
    try FileManager.default.createDirectory(atPath: output.string, withIntermediateDirectories: true)
    try folder.write([1], as: "pieces/03 Zwei.flac")
    #expect { try split(recording, duration: 31) } throws: { "\($0)".contains("--force") }
    #expect(try names == ["03 Zwei.flac"])
    #expect(try split(recording, duration: 31, force: true).files.count == 3)
    #expect(try Self.samples(output.appending("03 Zwei.flac"))[0].count == Int((3.7 * 8_000).rounded()))
    // The recording itself is never replaced.
    let same = try folder.write(.noise(sampleRate: 8_000, seconds: 31), as: "pieces/03 Zwei.flac")
    #expect { try split(same, duration: 31, force: true) } throws: { "\($0)".contains("the recording itself") }
    #expect(throws: MixSplitError.self) {
      try MixSplit(of: recording, into: recording, OverwriteRule(allowsOthers: true))
    }
  }

  /// Only complete files are kept.
  @Test(arguments: [false, true]) func cancelledWritingLeavesWholeFiles(isFloat: Bool) throws {
    let recording = try folder.write(
      .noise(sampleRate: 8_000, seconds: 31), as: "mix.wav", encoding: isFloat ? .float32 : .pcm16)
    #expect { try split(recording, duration: 31, isCancelled: { $0 > 0.6 }) } throws: { error in
      (error as? MixSplitFailure).map { $0.cause == .cancelled && $0.completeCount == 1 && $0.count == 3 } ?? false
    }
    #expect(try names.count == 1)
  }

  @Test func whatIsNoAudioIsRefused() throws {
    let words = try folder.write(Array("no music".utf8), as: "words.flac")
    #expect(throws: MixSplitError.self) { try MixSplit(of: words, into: output) }
    #expect(!FileManager.default.fileExists(atPath: output.string))
  }

  private static let music = Repository.path("Fixtures/music")
}
