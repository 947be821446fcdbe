internal import Analysis
internal import Pipeline
internal import ResultStore
internal import SystemPackage

/// How many seconds of one processor a file will take, from what is known of it before it is opened.
///
///     seconds = file + audio × (decoder + feeds + analyzers)
///
/// `audio` is the duration in seconds, or, of a file that was never analyzed, its size over the usual bytes a second of
/// its extension. The factors are measured by `Benchmarks/plan/measure`; `docs/workers.md` has them. Only their ratios matter
/// for partitions: another machine is faster or slower by one factor for all files.
struct WorkEstimate: Sendable {
  /// What one file takes whatever its length: opening, tags, and the way to a worker and back.
  static let secondsPerFile = 0.006

  private let analyzers: [String: Double]
  private let readers: Set<String>

  /// - Parameter plan: Says which analyzers read audio.
  init(_ plan: AnalysisPlan) {
    readers = Set(plan.wanted.members.filter(\.readsAudio).map(\.identity.id))
    analyzers = Dictionary(
      readers.map { ($0, Self.perSecond[$0] ?? Self.unknownAnalyzer) }, uniquingKeysWith: { first, _ in first })
  }

  /// - Parameter duration: Of the audio, in seconds; `nil` if it is not known.
  func seconds(_ path: FilePath, sizeBytes: Int64, codec: String?, duration: Double?, missing: [String]) -> Double {
    let audioAnalyzers = missing.filter(readers.contains)
    guard !audioAnalyzers.isEmpty else { return Self.secondsPerFile }
    let kind = Self.kind(codec: codec) ?? Self.kind(extension: path.extension?.lowercased() ?? "")
    let audio = duration.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } ?? Double(sizeBytes) / kind.bytesPerSecond
    let analysis = audioAnalyzers.reduce(0) { $0 + (analyzers[$1] ?? 0) }
    return Self.secondsPerFile + audio * (kind.decoding + Self.feeds + analysis)
  }

  /// A kind of encoded audio. Seconds of work for a second of audio, and bytes of such a second where nothing is known.
  private struct Kind {
    var decoding: Double
    var bytesPerSecond: Double
  }

  /// Downmix, resampling and spectra, which all analyzers of audio share.
  private static let feeds = 0.00055
  /// An analyzer of which nothing was measured, such as a program of the user.
  private static let unknownAnalyzer = 0.001

  /// Of one second of audio.
  private static let perSecond: [String: Double] = [
    "tempo": 0.000_33, "loudness": 0.000_17, "key": 0.000_11, "waveform": 0.000_085, "chromaprint": 0.000_060,
    "likeness": 0.000_053, "signature": 0.000_050, "traits": 0.000_027, "sections": 0.000_027, "cues": 0.000_015,
  ]

  private static let mp3 = Kind(decoding: 0.000_61, bytesPerSecond: 30_000)
  private static let aac = Kind(decoding: 0.000_61, bytesPerSecond: 24_000)
  private static let vorbis = Kind(decoding: 0.000_61, bytesPerSecond: 20_000)
  private static let opus = Kind(decoding: 0.001_1, bytesPerSecond: 16_000)
  private static let flac = Kind(decoding: 0.000_40, bytesPerSecond: 100_000)
  private static let pcm = Kind(decoding: 0.000_20, bytesPerSecond: 176_400)
  private static let slow = Kind(decoding: 0.003, bytesPerSecond: 90_000)

  private static func kind(codec: String?) -> Kind? {
    guard let codec else { return nil }
    if codec.hasPrefix("pcm") { return pcm }
    return switch codec {
    case "mp1", "mp2", "mp3": mp3
    case "aac", "wmav1", "wmav2", "wma", "ac3", "eac3": aac
    case "vorbis": vorbis
    case "opus": opus
    case "flac", "alac", "wavpack", "tta": flac
    case "ape": slow
    default: mp3
    }
  }

  private static func kind(extension name: String) -> Kind {
    switch name {
    case "wav", "wave", "bwf", "w64", "rf64", "aif", "aiff", "aifc", "au", "snd", "caf": pcm
    case "flac", "fla", "wv", "tta", "alac": flac
    case "ape", "ofr", "ofs", "tak": slow
    case "ogg", "oga": vorbis
    case "opus", "spx": opus
    case "m4a", "m4b", "mp4", "aac", "wma", "3gp", "ac3": aac
    default: mp3
    }
  }
}
