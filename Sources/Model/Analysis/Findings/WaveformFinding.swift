internal import Foundation

/// The waveform of a track.
///
/// The lists of bytes use a linear scale. In `minima` and `maxima`, 128 is zero, and 127 steps correspond to `peak`. In
/// the lists of peaks and RMS values, 255 is the peak of the band (for `rms`, of the whole signal). So a quiet track
/// has the same resolution as a loud one.
public struct WaveformFinding: DeclaredFinding {
  public var sampleRate = 0
  public var samplesPerPoint = 0
  /// Number of points; at most 2,000.
  public var pointCount = 0
  /// Largest sample of the mean of all channels, in dBFS; `nil` for silence.
  public var peak: Double?
  /// Peak below 600 Hz, in dBFS.
  public var lowPeak: Double?
  /// Peak from 600 to 4,000 Hz, in dBFS.
  public var midPeak: Double?
  /// Peak above 4,000 Hz, in dBFS.
  public var highPeak: Double?
  public var minima: [UInt8] = []
  public var maxima: [UInt8] = []
  public var rms: [UInt8] = []
  public var lowPeaks: [UInt8] = []
  public var lowRMS: [UInt8] = []
  public var midPeaks: [UInt8] = []
  public var midRMS: [UInt8] = []
  public var highPeaks: [UInt8] = []
  public var highRMS: [UInt8] = []
  /// Seconds per value of `onsets`: 20 ms, or a multiple of that in tracks longer than an hour.
  public var onsetStepSeconds = 0.0
  /// The onset strengths, where 255 means 1.
  public var onsets: [UInt8] = []
  /// A code for programs: `silence`; `nil` if the track is not silent.
  public var reason: String?

  public init() {}

  public var pointSeconds: Double { sampleRate > 0 ? Double(samplesPerPoint) / Double(sampleRate) : 0 }

  public static let declaration = FindingDeclaration<WaveformFinding>(
    "waveform", "Waveform of the track; null if not analyzed.",
    fields: [
      .field("sample_rate_hz", \.sampleRate, "Sample rate of the file in Hz, to which samples_per_point refers."),
      .field("samples_per_point", \.samplesPerPoint, "Number of samples from one point to the next."),
      .field("points", \.pointCount, "Number of points, at most 2,000."),
      .field(
        "peak_dbfs", \.peak,
        "Largest sample of the mean of all channels, in decibels relative to full scale; null in silence."),
      .field("low_peak_dbfs", \.lowPeak, "Largest sample of that mean below 600 Hz, in dBFS; null in silence."),
      .field("mid_peak_dbfs", \.midPeak, "Largest sample of that mean from 600 to 4,000 Hz, in dBFS; null in silence."),
      .field("high_peak_dbfs", \.highPeak, "Largest sample of that mean above 4,000 Hz, in dBFS; null in silence."),
      list("minima", \.minima, "Smallest sample of each point: 128 is zero, 1 is minus the peak."),
      list("maxima", \.maxima, "Largest sample of each point: 128 is zero, 255 is the peak."),
      list("rms", \.rms, "Root mean square of each point; 255 is the peak."),
      list("low_peaks", \.lowPeaks, "Largest magnitude below 600 Hz; 255 is the peak of this band."),
      list("low_rms", \.lowRMS, "Root mean square below 600 Hz; 255 is the peak of this band."),
      list("mid_peaks", \.midPeaks, "Largest magnitude from 600 to 4,000 Hz; 255 is the peak of this band."),
      list("mid_rms", \.midRMS, "Root mean square from 600 to 4,000 Hz; 255 is the peak of this band."),
      list("high_peaks", \.highPeaks, "Largest magnitude above 4,000 Hz; 255 is the peak of this band."),
      list("high_rms", \.highRMS, "Root mean square above 4,000 Hz; 255 is the peak of this band."),
      .field("onset_step_s", \.onsetStepSeconds, "Seconds from one value of onsets to the next."),
      list("onsets", \.onsets, "Onset strength of each step, 0 to 255."),
      .field("reason", \.reason, "Why there is no waveform: silence; null otherwise."),
    ],
    lines: { waveform, _ in [FindingLine("waveform", waveform.text)] })

  private static func list(
    _ name: String, _ path: any WritableKeyPath<WaveformFinding, [UInt8]> & Sendable, _ summary: String
  ) -> FindingField<WaveformFinding> {
    .field(name, path, summary, long: "waveform", table: "waveform_points")
  }

  private var text: String {
    guard let peak else { return "none (\(reason ?? "unknown reason"))" }
    return String(
      format: "%d %@ of %.3f s, peak %.2f dBFS", pointCount, pointCount == 1 ? "point" : "points", pointSeconds, peak)
  }
}
