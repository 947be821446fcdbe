internal import Analysis
internal import MediaContainers
internal import Records
internal import SystemPackage

/// By how much the times of DJ programs differ from ours in an MP3 file.
///
/// Our times begin with the first sample after the encoder's delay that LAME's tag states, since decoding cuts that
/// delay off (as FFmpeg does). Neither rekordbox nor Traktor cuts it. Traktor also plays the frame of such a tag as
/// silence unless it is LAME's own with the right checksum. The cases are those of the community's research
/// (dj-data-converter, issue 3) and of the table that Mixxx has for imports from rekordbox with FFmpeg as decoder.
struct MP3Start: Equatable {
  /// Samples of delay of decoders themselves, which are cut beside what the tag states: 528 and 1.
  private static let decoderDelay = 529

  /// The time that rekordbox adds to ours, in seconds.
  var rekordboxDelay = 0.0
  /// The time that Traktor adds to ours, in seconds.
  var traktorDelay = 0.0

  /// Reads the start of the file. For other formats than MP3, and for files that cannot be read, the delays are 0.
  init(_ record: FileRecord) {
    guard let start = Self.start(of: record) else { return }
    self = start
  }

  private static func start(of record: FileRecord) -> MP3Start? {
    guard let format = record.format, format.container == "mp3", format.codec == "mp3",
      let source = try? ByteSource(path: record.path, budget: 1 << 20),
      let tags = try? TagRegions.leading(in: source),
      let stream = try? MPEGStream(in: source, from: tags.end)
    else { return nil }
    return MP3Start(stream, sampleRate: format.sampleRate)
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
