/// The input of an analyzer. The pipeline collects the distinct feeds of all analyzers, computes each once per file and
/// passes the same values to every analyzer that requested it.
public enum Feed: Hashable, Sendable {
  /// No audio: the session receives the file's path and format, and is finished immediately.
  case file
  /// PCM. In a mono layout, a span contains consecutive frames. With `.native` channels, it is planar: all frames of
  /// the first channel, then all frames of the second, and so on. `index` is the number of the span's first frame,
  /// counted from the start of the audio.
  case samples(SampleLayout)
  /// A short-time Fourier transform. A span contains one column of `windowLength / 2 + 1` power values |X[k]|²; `index`
  /// is the column number.
  case spectrum(SpectrumLayout)

  /// `true` if the values depend on the pipeline's resampler, at least for files with a sample rate other than the
  /// feed's.
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
    /// Conversion by the pipeline's resampler (soxr or libsamplerate), with full scale at ±1.
    case standard
    /// The conversion that AcoustID's `fpcalc` uses: libswresample mixes the channels and converts to 16 bits with its
    /// short filter. Values are whole numbers from −32,768 to 32,767. As in `fpcalc`, the last millisecond, which the
    /// filter retains, is missing. Mono only.
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

/// The geometry of an STFT of the mono signal. Column `c` is centered on frame `c * hop` of the resampled signal.
/// Frames before the start and after the end count as zero.
public struct SpectrumLayout: Hashable, Sendable {
  /// Samples per second of the transformed signal.
  public var sampleRate: Int
  /// Length of the periodic Hann window and of the transform, in frames.
  public var windowLength: Int
  /// Number of frames from one column to the next.
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
  /// High resolution in time: about 100 columns per second, up to 11 kHz. `tempo`, `traits` and `likeness` share this
  /// layout, so it is computed only once.
  public static let onsets = SpectrumLayout(sampleRate: 22_050, windowLength: 1024, hop: 220)
  /// High resolution in frequency: bins of about 2 Hz, about four columns per second. `key` and `sections` share this
  /// layout.
  public static let pitches = SpectrumLayout(sampleRate: 8000, windowLength: 4096, hop: 2048)

  /// - Throws: `AnalysisError.failed` if the column does not have this layout.
  public func check(_ column: Span<Float>) throws(AnalysisError) {
    guard column.count == binCount else {
      throw .failed("a column of \(column.count) bins where \(binCount) were expected")
    }
  }
}
