internal import Analysis
internal import MediaContainers
internal import Records
internal import SystemPackage

/// The offset of the times in DJ programs from Nocturne's times, for MP3 files.
///
/// Nocturne's times begin with the first sample after the encoder delay stated in LAME's tag, because decoding removes
/// that delay (as FFmpeg does). Neither rekordbox nor Traktor removes it. Traktor also plays the frame with such a tag
/// as silence, unless the tag is LAME's own and has the right checksum. The cases come from the community's research
/// (dj-data-converter, issue 3) and from the table that Mixxx uses when it imports from rekordbox with FFmpeg as the
/// decoder.
struct MP3TimeOffset: Equatable {
  /// The delay of the decoders themselves, in samples: 528 and 1. It is removed in addition to the delay in the tag.
  private static let decoderDelay = 529

  /// Time to add to Nocturne's times for rekordbox, in seconds.
  var rekordboxDelay = 0.0
  /// Time to add to Nocturne's times for Traktor, in seconds.
  var traktorDelay = 0.0

  /// Reads the start of the file. The offsets are 0 for other formats and for unreadable files.
  init(_ record: FileRecord) {
    guard let start = Self.start(of: record) else { return }
    self = start
  }

  private static func start(of record: FileRecord) -> MP3TimeOffset? {
    guard let format = record.format, format.container == "mp3", format.codec == "mp3",
      let source = try? ByteSource(path: record.path, budget: 1 << 20),
      let tags = try? TagRegions.leading(in: source),
      let stream = try? MPEGStream(in: source, from: tags.end)
    else { return nil }
    return MP3TimeOffset(stream, sampleRate: format.sampleRate)
  }

  init(_ stream: MPEGStream, sampleRate: Int) {
    guard sampleRate > 0 else { return }
    let rate = Double(sampleRate)
    if stream.hasIntactLAMETag, let trimming = stream.trimming {
      rekordboxDelay = Double(Int(trimming >> 20) + Self.decoderDelay) / rate
      traktorDelay = rekordboxDelay
    } else if stream.payload != stream.audio {
      traktorDelay = Double(stream.samplesPerFrame) / rate
    }
  }
}
