public import SystemPackage

/// A format that audio is written in.
public enum AudioFileFormat: String, Hashable, Sendable, CaseIterable {
  case flac
  case wav
  /// Opus in Ogg.
  case opus

  /// The format that the name of a file asks for; `nil` if it asks for none of them.
  public init?(extensionOf path: FilePath) {
    switch path.extension?.lowercased() {
    case "flac": self = .flac
    case "wav", "wave": self = .wav
    case "opus", "ogg", "oga": self = .opus
    default: return nil
    }
  }

  /// Extension of file names, without the dot.
  public var fileExtension: String { rawValue }

  /// Samples per second that Opus encodes. Audio of any other rate is resampled to 48,000.
  public static let opusRates = [8_000, 12_000, 16_000, 24_000, 48_000]

  /// Samples per second of a file written from audio of a rate.
  public func sampleRate(for rate: Int) -> Int {
    self == .opus && !Self.opusRates.contains(rate) ? 48_000 : rate
  }

  /// How many channels a file can have. Opus with more than two would need them in the order of Vorbis.
  public var channelCounts: ClosedRange<Int> {
    switch self {
    case .flac: 1...8
    case .wav: 1...64
    case .opus: 1...2
    }
  }
}

/// How samples are stored in WAV and FLAC.
public enum SampleDepth: Int, Hashable, Sendable, CaseIterable {
  case int16 = 16
  case int24 = 24
  /// WAV only.
  case float32 = 32

  /// The depth that keeps all there is in audio of a format: 16 bits for lossy formats and up to 16 bits, else 24.
  public init(bitDepth: Int?) {
    self = bitDepth ?? 0 > 16 ? .int24 : .int16
  }
}

/// Tags of a new file, as far as WAV, FLAC and Opus all have them. Empty texts are left out.
public struct AudioFileTags: Hashable, Sendable {
  public var title: String?
  public var artist: String?
  public var album: String?
  public var date: String?
  public var trackNumber: String?
  public var genre: String?
  public var comment: String?

  public init(
    title: String? = nil, artist: String? = nil, album: String? = nil, date: String? = nil, trackNumber: String? = nil,
    genre: String? = nil, comment: String? = nil
  ) {
    self.title = title
    self.artist = artist
    self.album = album
    self.date = date
    self.trackNumber = trackNumber
    self.genre = genre
    self.comment = comment
  }
}

/// The properties of a file to be written, apart from the samples.
public struct AudioFileLayout: Hashable, Sendable {
  public var format: AudioFileFormat
  /// Samples per second of what is handed to the writer; see `AudioFileFormat.sampleRate(for:)`.
  public var sampleRate: Int
  public var channelCount: Int
  /// Without effect for Opus.
  public var depth: SampleDepth
  /// Adds triangular noise of one step (Lipshitz, Wannamaker and Vanderkooy, JAES 1992) before samples are rounded, the
  /// same noise each time. For audio that was scaled or mixed. Without it, samples of the depth of the file come out bit
  /// for bit. Digital silence stays silence.
  public var isDithered: Bool
  public var tags: AudioFileTags
  /// Frames that will be handed over, if that is known: a WAV file that would exceed 4 GB becomes RF64 (EBU Tech 3306).
  public var expectedFrameCount: Int64?

  public init(
    format: AudioFileFormat, sampleRate: Int, channelCount: Int, depth: SampleDepth = .int16, isDithered: Bool = false,
    tags: AudioFileTags = AudioFileTags(), expectedFrameCount: Int64? = nil
  ) {
    self.format = format
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.depth = depth
    self.isDithered = isDithered
    self.tags = tags
    self.expectedFrameCount = expectedFrameCount
  }
}
