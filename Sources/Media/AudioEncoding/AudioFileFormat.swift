public import SystemPackage

/// A format for writing audio.
public enum AudioFileFormat: String, Hashable, Sendable, CaseIterable {
  case flac
  case wav
  /// Opus in an Ogg container.
  case opus

  /// Creates the format that the extension of `path` stands for; `nil` for any other extension.
  public init?(extensionOf path: FilePath) {
    switch path.extension?.lowercased() {
    case "flac": self = .flac
    case "wav", "wave": self = .wav
    case "opus", "ogg", "oga": self = .opus
    default: return nil
    }
  }

  /// The file name extension, without the dot.
  public var fileExtension: String { rawValue }

  /// Sample rates that Opus encodes, in Hz. Audio of any other rate is resampled to 48,000.
  public static let opusRates = [8_000, 12_000, 16_000, 24_000, 48_000]

  /// The sample rate of a file written from audio that has the rate `rate`.
  public func sampleRate(for rate: Int) -> Int {
    self == .opus && !Self.opusRates.contains(rate) ? 48_000 : rate
  }

  /// The supported numbers of channels. Opus stops at two: more channels would have to be reordered as in Vorbis.
  public var channelCounts: ClosedRange<Int> {
    switch self {
    case .flac: 1...8
    case .wav: 1...64
    case .opus: 1...2
    }
  }
}

/// The sample format in WAV and FLAC files.
public enum SampleDepth: Int, Hashable, Sendable, CaseIterable {
  case int16 = 16
  case int24 = 24
  /// WAV only.
  case float32 = 32

  /// Chooses the depth for audio of the given bit depth: 16 bits for up to 16 bits or `nil` (lossy formats), otherwise
  /// 24.
  public init(bitDepth: Int?) {
    self = bitDepth ?? 0 > 16 ? .int24 : .int16
  }
}

/// Tags for a new file, limited to those that WAV, FLAC and Opus all support. Empty strings are left out.
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

/// The properties of a file to be written, apart from its samples.
public struct AudioFileLayout: Hashable, Sendable {
  public var format: AudioFileFormat
  /// Samples per second of the audio passed to the writer. See `AudioFileFormat.sampleRate(for:)`.
  public var sampleRate: Int
  public var channelCount: Int
  /// The sample depth; ignored for Opus.
  public var depth: SampleDepth
  /// `true` to add triangular noise of one step (Lipshitz, Wannamaker and Vanderkooy, JAES 1992) before rounding. The
  /// noise is the same each time. Use it for audio that was scaled or mixed. Digital silence stays silent. Without
  /// dither, samples that already have the file's depth are written bit for bit.
  public var isDithered: Bool
  public var tags: AudioFileTags
  /// Number of frames that will be written, if known. A WAV file that would exceed 4 GB is written as RF64 (EBU Tech
  /// 3306).
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
