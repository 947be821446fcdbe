/// The input of an analyzer. The pipeline collects the distinct feeds of all analyzers, makes each one once per file
/// and hands the same values to all that asked for it.
public enum Feed: Hashable, Sendable {
  /// No audio: the session gets the track (its path and format) and is finished at once.
  case file
  /// PCM. For mono layouts a span holds consecutive frames; for `.native` channels it is planar: all frames of the first
  /// channel, then all of the second, and so on. `index` is the first frame of the span, counted from the start.
  case samples(SampleLayout)
  /// Short-time Fourier transform. A span holds one column of `windowLength / 2 + 1` power values |X[k]|²; `index`
  /// is the number of the column.
  case spectrum(SpectrumLayout)

  /// Whether the values depend on which resampler the pipeline uses (for files of another rate than the feed's).
  public var dependsOnResampler: Bool {
    switch self {
    case .file: false
    case .samples(let layout): layout.rate != .native && layout.conversion == .standard
    case .spectrum: true
    }
  }
}

/// The rate, channels and conversion of a PCM feed.
public struct SampleLayout: Hashable, Sendable {
  public enum Rate: Hashable, Sendable {
    /// The rate of the file.
    case native
    /// Samples per second.
    case hertz(Int)
  }

  public enum Channels: Hashable, Sendable {
    /// The mean of all channels.
    case mono
    /// The channels of the file.
    case native
  }

  public enum Conversion: Hashable, Sendable {
    /// The pipeline's resampler (soxr or libsamplerate); full scale is ±1.
    case standard
    /// As AcoustID's `fpcalc` does it: libswresample to 16 bits with its short filter, channels mixed by libswresample.
    /// Values are whole numbers from −32,768 to 32,767; the millisecond that the filter holds at the end is missing, as
    /// there. Only with mono.
    case acoustID
  }

  public var rate: Rate
  public var channels: Channels
  public var conversion: Conversion

  public init(rate: Rate, channels: Channels = .mono, conversion: Conversion = .standard) {
    self.rate = rate
    self.channels = channels
    self.conversion = conversion
  }
}

/// The geometry of an STFT of the mono signal. Column `c` is centered on frame `c * hop` of the resampled signal; what
/// lies before the start or after the end counts as zero.
public struct SpectrumLayout: Hashable, Sendable {
  /// Samples per second of the signal that is transformed.
  public var sampleRate: Int
  /// Length of the (periodic Hann) window and of the transform, in frames.
  public var windowLength: Int
  /// Frames from one column to the next.
  public var hop: Int

  public var binCount: Int { windowLength / 2 + 1 }
  public var columnsPerSecond: Double { Double(sampleRate) / Double(hop) }

  public init(sampleRate: Int, windowLength: Int, hop: Int) {
    self.sampleRate = sampleRate
    self.windowLength = windowLength
    self.hop = hop
  }
}

extension SpectrumLayout {
  /// Fine in time: 100 columns a second, up to 11 kHz. `tempo`, `traits` and `likeness` share it, so it is made once.
  public static let onsets = SpectrumLayout(sampleRate: 22_050, windowLength: 1024, hop: 220)
  /// Fine in frequency: bins of 2 Hz, four columns a second. `key` and `sections` share it.
  public static let pitches = SpectrumLayout(sampleRate: 8000, windowLength: 4096, hop: 2048)

  /// - Throws: `AnalysisError.failed` for a column that is not of this layout.
  public func check(_ column: Span<Float>) throws(AnalysisError) {
    guard column.count == binCount else {
      throw .failed("a column of \(column.count) bins where \(binCount) were expected")
    }
  }
}
