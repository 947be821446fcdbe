// Small files, built byte by byte from the formats' specifications and independently of the code under test.

typealias Bytes = [UInt8]

/// Concatenated text and numbers.
func joined(_ parts: any Sequence<UInt8>...) -> Bytes { parts.flatMap { Bytes($0) } }

func big(_ value: Int, _ count: Int = 4) -> Bytes {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

func little(_ value: Int, _ count: Int = 4) -> Bytes { big(value, count).reversed() }

func zeros(_ count: Int) -> Bytes { Bytes(repeating: 0, count: count) }

func ones(_ count: Int) -> Bytes { Bytes(repeating: 0xFF, count: count) }

func box(_ name: String, _ body: Bytes) -> Bytes {
  joined(big(body.count + 8), name.unicodeScalars.map { UInt8($0.value) }, body)
}

func chunk(_ id: String, _ body: Bytes, isBigEndian: Bool = false, pads: Bool = true) -> Bytes {
  let size = isBigEndian ? big(body.count) : little(body.count)
  return joined(id.utf8, size, body, zeros(pads ? body.count % 2 : 0))
}

func wav(_ chunks: Bytes..., mark: String = "RIFF") -> Bytes {
  let body = Bytes(chunks.joined())
  return joined(mark.utf8, little(body.count + 4), "WAVE".utf8, body)
}

/// 44.1 kHz, stereo, 16 bits.
let waveFormat = chunk(
  "fmt ", joined(little(1, 2), little(2, 2), little(44_100), little(176_400), little(4, 2), little(16, 2)))

func aiff(_ chunks: Bytes...) -> Bytes {
  let body = Bytes(chunks.joined())
  return joined("FORM".utf8, big(body.count + 4), "AIFF".utf8, body)
}

private let waveGUID: Bytes = [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A]
private let riffGUID: Bytes = [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00]

/// A chunk of Sony Wave64, whose GUIDs begin with the names of RIFF.
func longChunk(_ id: String, _ body: Bytes) -> Bytes {
  joined(id.utf8, waveGUID, little(body.count + 24, 8), body, zeros((8 - body.count % 8) % 8))
}

func wave64(_ chunks: Bytes...) -> Bytes {
  let body = Bytes(chunks.joined())
  return joined("riff".utf8, riffGUID, little(body.count + 40, 8), "wave".utf8, waveGUID, body)
}

/// An element of Matroska with a size of eight bytes.
func element(_ id: Int, _ body: Bytes, saysSize: Bool = true) -> Bytes {
  let length = (Int.bitWidth - id.leadingZeroBitCount + 7) / 8
  return joined(big(id, length), [1] as Bytes, saysSize ? big(body.count, 7) : ones(7), body)
}

func asfObject(_ guid: Bytes, _ body: Bytes) -> Bytes { joined(guid, little(body.count + 24, 8), body) }

let asfHeaderGUID: Bytes = [
  0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C,
]
let asfDescriptionGUID: Bytes = [
  0x33, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C,
]
let asfExtensionGUID: Bytes = [
  0xB5, 0x03, 0xBF, 0x5F, 0x2E, 0xA9, 0xCF, 0x11, 0x8E, 0xE3, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
]

func asf(_ objects: Bytes...) -> Bytes {
  let body = Bytes(objects.joined())
  return joined(asfHeaderGUID, little(body.count + 30, 8), little(objects.count), [1, 2] as Bytes, body)
}

func oggChecksum(_ bytes: Bytes) -> Int {
  var value: UInt32 = 0
  for byte in bytes {
    value ^= UInt32(byte) << 24
    for _ in 0..<8 { value = value << 1 ^ (value >> 31 == 1 ? 0x04C1_1DB7 : 0) }
  }
  return Int(value)
}

/// - Parameter flags: 1 continued, 2 first, 4 last.
func oggPage(number: Int, flags: Int = 0, _ packet: Bytes) -> Bytes {
  let lacing = joined(ones(packet.count / 255), [UInt8(packet.count % 255)])
  var page = joined("OggS".utf8, [0, UInt8(flags)], little(number * 960, 8), little(7), little(number), zeros(4))
  page += joined([UInt8(lacing.count)], lacing, packet)
  page.replaceSubrange(22..<26, with: little(oggChecksum(page)))
  return page
}

let opus = joined(
  oggPage(number: 0, flags: 2, joined("OpusHead".utf8, [1, 2] as Bytes, zeros(9))),
  oggPage(number: 1, joined("OpusTags".utf8, vorbisComment("TITLE=t"))), oggPage(number: 2, flags: 4, Bytes(1...200)))

func vorbisComment(_ entries: String..., count: Int? = nil) -> Bytes {
  joined(
    little(4), "Vend".utf8, little(count ?? entries.count), entries.flatMap { little($0.utf8.count) + Bytes($0.utf8) })
}

/// The header and the first frame of FLAC, 44.1 kHz, stereo, 16 bits.
func flac(_ blocks: (kind: UInt8, body: Bytes)..., endsBlocks: Bool = true) -> Bytes {
  let packed = 44_100 << 44 | 1 << 41 | 15 << 36 | 4_096
  var file = joined("fLaC".utf8, [endsBlocks && blocks.isEmpty ? 0x80 : 0] as Bytes, big(34, 3))
  file += joined(big(4_096, 2), big(4_096, 2), zeros(6), big(packed, 8), Bytes(repeating: 9, count: 16))
  for (index, block) in blocks.enumerated() {
    let isLast = endsBlocks && index == blocks.count - 1
    file += joined([block.kind | (isLast ? 0x80 : 0)], big(block.body.count, 3), block.body)
  }
  return joined(file, [0xFF, 0xF8, 0xC9, 0x18, 0x00, 0xC2] as Bytes, Bytes(1...100))
}

/// Layer III, 32 kbit/s at 44.1 kHz: 104 bytes each.
func mpegFrames(_ count: Int) -> Bytes {
  (0..<count).flatMap { _ in joined([0xFF, 0xFB, 0x10, 0xC0] as Bytes, zeros(100)) }
}

/// AAC at 44.1 kHz, 16 bytes each.
func adtsFrames(_ count: Int) -> Bytes {
  (0..<count).flatMap { _ in joined([0xFF, 0xF1, 0x50, 0x80, 0x02, 0x00, 0xFC] as Bytes, zeros(9)) }
}

func id3v2(_ body: Bytes) -> Bytes {
  joined("ID3".utf8, [4, 0, 0] as Bytes, [21, 14, 7, 0].map { UInt8(body.count >> $0 & 0x7F) }, body)
}

func apeTag(_ items: Bytes, hasHeader: Bool = false) -> Bytes {
  func end(_ flags: Int) -> Bytes {
    joined("APETAGEX".utf8, little(2_000), little(items.count + 32), little(1), little(flags), zeros(8))
  }
  return joined(hasHeader ? end(0xA000_0000) : [], items, end(hasHeader ? 0x8000_0000 : 0))
}

let id3v1 = joined("TAG".utf8, zeros(125))

/// One complete file of each container.
let wholeFiles: [(name: String, bytes: Bytes)] = [
  ("wav", wavFile), ("rf64", longWAVFile), ("aiff", aiffFile), ("wave64", wave64File), ("caf", cafFile),
  ("au", joined(".snd".utf8, big(24), big(80), big(3), big(44_100), big(2), zeros(80))), ("dsdiff", dsdiffFile),
  ("dsf", dsfFile), ("flac", flac((4, vorbisComment("TITLE=t")), (6, zeros(40)))), ("ogg", opus), ("mp4", mp4File),
  ("matroska", matroskaFile), ("asf", asfFile),
  ("mpeg", joined(id3v2(zeros(50)), mpegFrames(6), apeTag(zeros(20)), id3v1)), ("adts", adtsFile),
  (
    "wavPack",
    joined(wavPackBlock(0, of: 300), wavPackBlock(100, of: 300), wavPackBlock(200, of: 300), apeTag(zeros(9)))
  ),
  ("trueAudio", trueAudioFile), ("monkeysAudio", monkeysAudioFile), ("musepack7", musepack7File),
  ("musepack8", musepack8File), ("sphere", sphereFile), ("voice", voiceFile),
]

private let wavFile = wav(
  waveFormat, chunk("LIST", joined("INFO".utf8, chunk("INAM", Bytes("t\0".utf8)))), chunk("data", Bytes(1...101)))
private let longWAVFile = wav(
  chunk("ds64", joined(little(0, 8), little(40, 8), little(0, 12))), waveFormat,
  joined("data".utf8, ones(4), zeros(40)), mark: "RF64")
private let aiffCommon = joined(
  big(2, 2), big(9), big(16, 2), [0x40, 0x0E, 0xAC, 0x44] as Bytes, zeros(6))
private let aiffFile = aiff(
  chunk("COMM", aiffCommon, isBigEndian: true), chunk("SSND", zeros(44), isBigEndian: true),
  chunk("NAME", Bytes("x".utf8), isBigEndian: true))
private let wave64File = wave64(longChunk("fmt ", Bytes(waveFormat.dropFirst(8))), longChunk("data", Bytes(1...99)))
private let cafFile = joined(
  "caff".utf8, big(1, 2), zeros(2), "desc".utf8, big(32, 8), zeros(32), "info".utf8, big(4, 8), zeros(4), "data".utf8,
  ones(8), zeros(60))
private let dsdiffFile = joined(
  "FRM8".utf8, big(60, 8), "DSD ".utf8, "FVER".utf8, big(5, 8), zeros(6), "DIIN".utf8, big(16, 8), "DIAR".utf8,
  big(4, 8), zeros(4))
private let dsfFile = joined(
  "DSD ".utf8, little(28, 8), little(200, 8), little(92, 8), "fmt ".utf8, zeros(48), "data".utf8, little(112, 8),
  zeros(100))
private let mp4Tags = box("udta", box("meta", joined(zeros(4), box("ilst", box("©nam", zeros(20))))))
private let mp4File = joined(
  box("ftyp", Bytes("M4A ".utf8)),
  box("moov", joined(box("mvhd", zeros(20)), box("trak", box("mdia", box("mdhd", zeros(24)))), mp4Tags)),
  box("mdat", zeros(50)))
private let matroskaFile = joined(
  element(0x1A45_DFA3, zeros(10)),
  element(
    0x1853_8067,
    joined(
      element(0x1549_A966, zeros(9)), element(0x1254_C367, zeros(30)),
      element(0x1F43_B675, zeros(40), saysSize: false))))
private let asfFile = asf(
  asfObject(asfDescriptionGUID, zeros(10)),
  asfObject(asfExtensionGUID, joined(zeros(22), asfObject(asfDescriptionGUID, zeros(8)))))
private let adtsFile = joined(
  apeTag(zeros(20), hasHeader: true), adtsFrames(5), "LYRICSBEGINla000013LYRICS200".utf8, id3v1)

/// 100 samples from `index` on.
func wavPackBlock(_ index: Int, of total: Int) -> Bytes {
  joined(
    "wvpk".utf8, little(44), little(0x410, 2), zeros(2), little(total), little(index), little(100), little(0x1800),
    zeros(24))
}
private let trueAudioFile = joined(
  "TTA1".utf8, little(1, 2), little(2, 2), little(16, 2), little(44_100), little(100_000), zeros(4), little(30),
  little(20), little(10), zeros(64))
private let monkeysAudioFile = joined(
  "MAC ".utf8, little(3_990, 2), zeros(2), little(52), little(24), little(8), little(0), little(40), zeros(24),
  zeros(24), zeros(48))
/// Three frames that contain only their lengths.
private let musepack7File = joined("MP+".utf8, [7] as Bytes, little(3), zeros(12), little(0), zeros(12))
private let musepack8File = joined(
  "MPCKSH".utf8, [12] as Bytes, zeros(4), [8, 0x81, 0x00, 0x00, 0x15] as Bytes, "AP".utf8, [5, 1, 2] as Bytes,
  "SE".utf8,
  [3] as Bytes)
private let sphereFile = joined(
  "NIST_1A\n   1024\nsample_count -i 20\nsample_n_bytes -i 2\nchannel_count -i 1\nend_head\n".utf8, zeros(1_000))
private let voiceFile = joined(
  "Creative Voice File".utf8, [0x1A] as Bytes, little(26, 2), zeros(4), [9] as Bytes, little(40, 3), zeros(40), zeros(1)
)
