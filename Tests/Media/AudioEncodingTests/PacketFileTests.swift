import Analysis
import AnalysisTesting
import AudioDecoding
import Foundation
import SystemPackage
import Testing

@testable import AudioEncoding

/// Packets that are copied into new files.
@Suite(.bounded) struct PacketFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static func music(_ name: String) -> FilePath { Repository.path("Fixtures/music").appending(name) }

  private static func format(_ container: String, _ codec: String = "any") -> AudioFormat {
    AudioFormat(container: container, codec: codec, sampleRate: 44_100, channelCount: 2, isLossless: false)
  }

  /// Copies some packets of a file, and returns them.
  @discardableResult
  private func copy(
    _ source: FilePath, to name: String, _ container: PacketContainer? = nil, packets range: Range<Int>,
    tags: [AudioTag] = []
  ) throws -> [EncodedPacket] {
    var packets = try PacketSource(path: source)
    let descriptor = try FileDescriptor.open(
      folder.file(name), .readWrite, options: [.create, .truncate], permissions: .ownerReadWrite)
    defer { try? descriptor.close() }
    let file = try PacketFile(
      container ?? PacketContainer(like: packets.format, fileExtension: source.extension), for: packets,
      at: descriptor, tags: tags, isContinuation: range.lowerBound > 0)
    var copied: [EncodedPacket] = []
    var index = 0
    while index < range.upperBound, let packet = packets.next() {
      if index >= range.lowerBound {
        try file.write(packets)
        copied.append(packet)
      }
      index += 1
    }
    try file.finish()
    #expect(copied.count == range.count)
    return copied
  }

  private func packets(_ path: FilePath, limit: Int = .max) throws -> [EncodedPacket] {
    var source = try PacketSource(path: path)
    var packets: [EncodedPacket] = []
    while packets.count < limit, let packet = source.next() { packets.append(packet) }
    if limit == .max { #expect(source.fault == nil) }
    return packets
  }

  /// At least `count` frames from the start of a file.
  private func samples(_ path: FilePath, _ count: Int = .max) throws -> [[Float]] {
    var source = try AudioSource(path: path)
    var block = AudioBlock(channelCount: source.format.channelCount)
    var channels = [[Float]](repeating: [], count: source.format.channelCount)
    while channels[0].count < count, source.read(into: &block) {
      for channel in channels.indices { channels[channel] += block.samples[block.range(ofChannel: channel)] }
    }
    return channels
  }

  private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: folder.file(name).string)) }

  /// The start of a file sounds the same, without the encoder's delay.
  @Test(arguments: ["rocker-ronni.mp3", "coherence.opus"])
  func startsSoundTheSame(name: String) throws {
    let source = Self.music(name)
    let copied = try copy(source, to: name, packets: 0..<80)
    let found = try packets(folder.file(name))
    #expect(found.map(\.byteCount) == copied.map(\.byteCount))
    let count = 60 * 960
    let (original, copy) = (try samples(source, count), try samples(folder.file(name), count))
    for channel in original.indices {
      let isSame = original[channel].prefix(count) == copy[channel].prefix(count)
      #expect(isSame, "channel \(channel)")
    }
    // The same packets make the same file.
    try self.copy(source, to: "again", packets: 0..<80)
    let isSame = try bytes(name) == bytes("again")
    #expect(isSame)
  }

  /// Packets from the middle start at time 0, and none of their audio counts as the encoder's delay.
  @Test(arguments: ["coherence.opus", "through-space.m4a"]) func continuationsStartAtZero(name: String) throws {
    let copied = try copy(Self.music(name), to: name, packets: 50..<110)
    let found = try packets(folder.file(name))
    #expect(found.map(\.byteCount) == copied.map(\.byteCount))
    let first = try #require(copied.first)
    for (one, other) in zip(found, copied) {
      #expect(abs(one.start - (other.start - first.start)) < 1e-3 && abs(one.duration - other.duration) < 1e-3)
    }
    guard name.hasSuffix("opus") else { return }
    let seconds = copied.reduce(0) { $0 + $1.duration }
    let count = try samples(folder.file(name))[0].count
    #expect(abs(Double(count) / 48_000 - seconds) < 0.003)
  }

  @Test func tagsAreWritten() throws {
    let tags = [AudioTag("title", "Ö \"1\""), AudioTag("artist", "One")]
    try copy(Self.music("hell.ogg"), to: "a.ogg", packets: 0..<20, tags: tags)
    try copy(Self.music("coherence.opus"), to: "a.opus", packets: 0..<20, tags: tags)
    for name in ["a.ogg", "a.opus"] {
      let bytes = try bytes(name)
      for text in ["title=Ö \"1\"", "artist=One"] {
        #expect(bytes.firstRange(of: Data(text.utf8)) != nil, "\(text) in \(name)")
      }
    }
    // Bare AAC has tags only in front of it.
    let adts = PacketContainer(like: Self.format("adts", "aac"), fileExtension: nil)
    try copy(Self.music("through-space.m4a"), to: "a.aac", adts, packets: 0..<20, tags: tags)
    let aac = try bytes("a.aac")
    #expect(aac.starts(with: Data("ID3".utf8)) && aac.range(of: Data("One".utf8)) != nil)
    #expect(try packets(folder.file("a.aac")).count == 20)
  }

  @Test func whatCannotBeWrittenIsAnError() throws {
    let source = try PacketSource(path: Self.music("rocker-ronni.mp3"))
    try folder.write([], as: "a")
    let readOnly = try FileDescriptor.open(folder.file("a"), .readOnly)
    let full = try FileDescriptor.open("/dev/full", .writeOnly)
    defer {
      try? readOnly.close()
      try? full.close()
    }
    func error(_ container: PacketContainer, _ descriptor: FileDescriptor) throws -> PacketFileError? {
      do throws(PacketFileError) {
        let file = try PacketFile(container, for: source, at: descriptor, tags: [], isContinuation: true)
        try file.finish()
        return nil
      } catch {
        return error
      }
    }
    let matroska = PacketContainer(like: Self.format("matroska"), fileExtension: nil)
    #expect(try error(.flac, readOnly) == .unsupported)
    #expect(try error(matroska, readOnly) == .cannotWrite(.badFileDescriptor))
    #expect(try error(matroska, full) == .cannotWrite(.noSpace))
  }

  // MARK: Containers

  @Test(
    arguments: [
      ("mp3", "mp3", nil, "mp3", "mp3"), ("adts", "aac", "m4a", "adts", "aac"), ("ogg", "opus", nil, "ogg", "opus"),
      ("ogg", "opus", "OGG", "ogg", "ogg"), ("ogg", "opus", "oga", "ogg", "opus"), ("ogg", "vorbis", nil, "ogg", "ogg"),
      ("ogg", "speex", "spx", "ogg", "spx"), ("ogg", "vorbis", "oga", "ogg", "oga"),
      ("ogg", "vorbis", "opus", "ogg", "ogg"), ("mp4", "aac", "m4b", "ipod", "m4b"),
      ("mp4", "aac", "mp4", "ipod", "m4a"),
      ("mp4", "alac", "m4a", "mp4", "mp4"), ("matroska", "opus", "WebM", "webm", "webm"),
      ("matroska", "opus", "weba", "webm", "weba"), ("matroska", "opus", "mka", "matroska", "mka"),
      ("matroska", "opus", nil, "matroska", "mka"), ("asf", "wmav2", "asf", "asf", "wma"),
      ("aiff", "pcm_f32", "aif", "aiff", "aiff"), ("caf", "alac", nil, "caf", "caf"),
      ("au", "pcm_f32", nil, "au", "au"),
      ("w64", "pcm_f32", nil, "w64", "w64"), ("wv", "wavpack", nil, "wv", "wv"), ("wav", "pcm_f32", nil, "wav", "wav"),
      ("rf64", "pcm_f32", "rf64", "wav", "wav"), ("bw64", "pcm_f32", nil, "wav", "wav"),
      ("rifx", "pcm_f32", nil, "wav", "wav"), ("ac3", "ac3", nil, "ac3", "ac3"), ("eac3", "eac3", nil, "eac3", "eac3"),
      ("dts", "dts", nil, "dts", "dts"), ("amr", "amr_nb", nil, "amr", "amr"), ("tta", "tta", "tta", "matroska", "mka"),
    ] as [(String, String, String?, String, String)])
  func containersAreThoseOfTheSource(
    container: String, codec: String, fileExtension: String?, muxer: String, expected: String
  ) {
    let found = PacketContainer(like: Self.format(container, codec), fileExtension: fileExtension)
    #expect(found.muxer == muxer && found.fileExtension == expected)
  }

  @Test func tagsHaveTheFormatOfTheContainer() {
    func tagFormat(_ container: String) -> PacketContainer.TagFormat {
      PacketContainer(like: Self.format(container), fileExtension: nil).tagFormat
    }
    #expect(PacketContainer.flac.tagFormat == .vorbisComments && PacketContainer.flac.fileExtension == "flac")
    #expect(tagFormat("ogg") == .vorbisComments)
    for container in ["mp3", "adts", "aiff"] { #expect(tagFormat(container) == .id3) }
    for container in ["mp4", "matroska", "wav"] { #expect(tagFormat(container) == .other) }
  }
}
