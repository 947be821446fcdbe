internal import Analysis
package import Pipeline
internal import ResultStore
package import SystemPackage

/// Estimates the CPU time for a file, in seconds, from what is known before it is opened.
///
///     instructions = file + audio × (decoder + min(sum of the analyzers, all analyzers together))
///
/// `audio` is the duration in seconds. For a file that was never analyzed, it is the size divided by the typical number
/// of bytes per second of its format. Analyzers share resamplers and spectra, so together they take less than the sum
/// of their separate costs. Analyzers that were not measured are added at an assumed cost. The numbers come from
/// `Benchmarks/instructions.json`, which a test verifies, and the speed comes from `reports/bench-2026-11-26.md`.
/// Another machine is faster or slower by the same factor for all files, which does not change partitions.
package struct WorkEstimate: Sendable {
  /// Millions of instructions per file, regardless of its duration, for opening it, reading tags, and the round trip to
  /// a worker.
  package static let perFile = 11.5
  /// Millions of instructions to decode a second of audio, by encoding.
  package static let decoding: [String: Double] = [
    "wav": 1.54, "flac": 9.57, "mp3": 7.98, "opus": 18.7, "ogg": 6.96, "m4a": 4.42,
  ]
  /// Millions of instructions per second of audio, for each analyzer with its own resampler and spectrum.
  package static let analyzers: [String: Double] = [
    "tempo": 9.04, "key": 4.12, "signature": 3.9, "chromaprint": 3.7, "likeness": 3.57, "traits": 3.55,
    "sections": 2.81,
    "loudness": 1.53, "waveform": 0.32, "cues": 0.1,
  ]
  /// Millions of instructions per second of audio, for all analyzers with shared resamplers and spectra.
  package static let allAnalyzers = 25.2
  /// Millions of instructions per second. At this speed, a minute of MP3 with all analyzers takes 102 ms.
  static let speed = 19_500.0

  /// Assumed cost of an analyzer that has not been measured, such as an external program.
  private static let unknownAnalyzer = 10.0
  /// Assumed number of bytes per second of audio in files that were never analyzed: MP3 at 240 kbit/s, CD quality, …
  private static let bytesPerSecond: [String: Double] = [
    "wav": 176_400, "flac": 100_000, "mp3": 30_000, "opus": 16_000, "ogg": 20_000, "m4a": 24_000,
  ]

  private let readers: Set<String>

  /// - Parameter plan: The plan, which determines which analyzers read audio.
  package init(_ plan: AnalysisPlan) {
    readers = Set(plan.wanted.members.filter(\.readsAudio).map(\.identity.id))
  }

  /// - Parameter duration: Seconds of audio; `nil` if unknown.
  package func seconds(
    _ path: FilePath, sizeBytes: Int64, codec: String?, duration: Double?, missing: [String]
  ) -> Double {
    let wanted = missing.filter(readers.contains)
    guard !wanted.isEmpty else { return Self.perFile / Self.speed }
    let kind = Self.kind(codec: codec) ?? Self.kind(extension: path.extension?.lowercased() ?? "")
    let known = duration.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    let audio = known ?? Double(sizeBytes) / (Self.bytesPerSecond[kind] ?? .infinity)
    let measured = wanted.compactMap { Self.analyzers[$0] }
    let analysis =
      min(measured.reduce(0, +), Self.allAnalyzers) + Double(wanted.count - measured.count) * Self.unknownAnalyzer
    return (Self.perFile + audio * ((Self.decoding[kind] ?? 0) + analysis)) / Self.speed
  }

  /// Returns the measured encoding that is closest to a codec, or MP3 if none is close; `nil` if there is no codec.
  private static func kind(codec: String?) -> String? {
    guard let codec else { return nil }
    if codec.hasPrefix("pcm") { return "wav" }
    return switch codec {
    case "aac", "wmav1", "wmav2", "ac3", "eac3": "m4a"
    case "vorbis": "ogg"
    case "opus": "opus"
    case "flac", "alac", "wavpack", "tta", "ape": "flac"
    default: "mp3"
    }
  }

  private static func kind(extension name: String) -> String {
    switch name {
    case "wav", "wave", "bwf", "w64", "rf64", "aif", "aiff", "aifc", "au", "snd", "caf": "wav"
    case "flac", "fla", "wv", "tta", "alac", "ape": "flac"
    case "ogg", "oga": "ogg"
    case "opus", "spx": "opus"
    case "m4a", "m4b", "mp4", "aac", "wma", "3gp", "ac3": "m4a"
    default: "mp3"
    }
  }
}
