import AnalysisTesting
import MediaContainers
import Testing

@Suite(.bounded) struct ContainerTests {
  @Test(
    arguments: zip(
      wholeFiles.map(\.name),
      [
        .wav, .rf64, .aiff, .wave64, .caf, .au, .dsdiff, .dsf, .flac, .ogg, .mp4, .matroska, .asf, .unknown, .unknown,
        .wavPack, .trueAudio, .monkeysAudio, .musepack7, .musepack8, .nistSphere, .creativeVoice,
      ] as [Container]))
  func filesAreToldByTheirFirstBytes(name: String, container: Container) throws {
    let file = try #require(wholeFiles.first { $0.name == name })
    let source = ByteSource(file.bytes)
    let start = try TagRegions.leading(in: source).end
    #expect(try Container(of: source, at: start) == container)
    // Also after a tag.
    let tagged = ByteSource(joined(id3v2(zeros(20)), file.bytes.dropFirst(start)))
    #expect(try Container(of: tagged, at: 30) == container)
  }

  @Test(
    arguments: [
      ("RIFX\0\0\0\0WAVE", .rifx), ("BW64\0\0\0\0WAVE", .rf64), ("RIFF\0\0\0\0AVI ", .unknown),
      ("FORM\0\0\0\0AIFC", .aiff),
      ("FORM\0\0\0\08SVX", .amigaVoice), ("\0\0\0\u{8}wide", .mp4), ("MAC ", .monkeysAudio), ("wvpk", .wavPack),
      ("MP+\u{7}", .musepack7), ("MPCK", .musepack8), ("IMPM", .it), ("Extended Module: x", .xm), ("#!AMR", .amr),
      ("NIST_1A", .nistSphere), ("fLa", .unknown), ("", .unknown),
    ] as [(String, Container)]) func marks(text: String, container: Container) throws
  {
    #expect(try Container(of: ByteSource(Array(text.utf8)), at: 0) == container)
  }

  @Test func modules() throws {
    #expect(try Container(of: ByteSource(joined(zeros(44), "SCRM".utf8, zeros(20))), at: 0) == .s3m)
    #expect(try Container(of: ByteSource(joined(zeros(1_080), "M.K.".utf8, zeros(20))), at: 0) == .mod)
  }

  @Test func wordsForSynchronization() throws {
    #expect(try Container(of: ByteSource(joined([0x56, 0xE3] as Bytes, zeros(9))), at: 0) == .loas)
    for (mark, container) in [(0xBA, .trueHD), (0xBB, .mlp)] as [(UInt8, Container)] {
      let unit = joined([0x40, 0x65, 0xFF, 0xB0, 0xF8, 0x72, 0x6F, mark] as Bytes, zeros(9))
      #expect(try Container(of: ByteSource(unit), at: 0) == container)
    }
    #expect(try Container(of: ByteSource([0x0B, 0x77, 0, 0, 0, 8 << 3, 0]), at: 0) == .ac3)
    #expect(try Container(of: ByteSource([0x0B, 0x77, 0, 0, 0, 16 << 3, 0]), at: 0) == .eac3)
  }

  /// Each bit of a signature counts.
  @Test func changedSignatures() throws {
    func container(_ bytes: Bytes) throws -> Container { try Container(of: ByteSource(bytes + zeros(80)), at: 0) }
    let wave64 = Bytes(try #require(wholeFiles.first { $0.name == "wave64" }).bytes.prefix(16))
    let signatures: [(Bytes, Container)] = [
      (wave64, .wave64), (asfHeaderGUID, .asf), ([0x1A, 0x45, 0xDF, 0xA3], .matroska),
      ([0x7F, 0xFE, 0x80, 0x01], .dts),
      ([0xFE, 0x7F, 0x01, 0x80], .dts), ([0, 0, 0, 0, 0xF8, 0x72, 0x6F, 0xBA], .trueHD), ([0x0B, 0x77], .ac3),
      (Bytes("EA3".utf8), .openMG), (Bytes("tBaK".utf8), .tak), (Bytes("ajkg".utf8), .shorten),
      (Bytes(".RMF".utf8), .realMedia), (Bytes("DTSHDHDR".utf8), .dtsHD),
      (Bytes("FORM".utf8) + zeros(4) + "16SV".utf8, .amigaVoice),
    ]
    for (signature, expected) in signatures {
      #expect(try container(signature) == expected)
      for bit in 0..<8 * signature.count where signature[bit / 8] != 0 {
        var changed = signature
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(try container(changed) != expected, "\(expected), bit \(bit)")
      }
    }
    for (identification, expected) in [(10, .ac3), (11, .eac3), (0, .ac3), (31, .eac3)] as [(UInt8, Container)] {
      let head: Bytes = [0x0B, 0x77, 0, 0, 0, identification << 3]
      #expect(try Container(of: ByteSource(head + [0]), at: 0) == expected)
      #expect(try Container(of: ByteSource(head), at: 0) == .unknown)
    }
  }
}
