internal import Analysis
internal import Duplicates
internal import Library
internal import Platform
internal import Records
package import SystemPackage

/// What makes one file of a recording worth more than another one.
package enum KeepingRule: Hashable, Sendable {
  /// A file without damage.
  case whole
  /// The file that has all of the recording.
  case complete
  case lossless
  /// Samples in a second, then bits in a sample.
  case rate
  case bitRate
  /// A file of an album that has more of its tracks here.
  case album
  /// Tags that are filled in.
  case tags
  case cover
  /// Known for longer: an earlier generation.
  case oldest
  case newest
  /// Below a folder.
  case under(FilePath)

  /// The order in which they count by themselves.
  static let standard: [KeepingRule] = [
    .whole, .complete, .lossless, .rate, .bitRate, .album, .tags, .cover, .oldest,
  ]

  /// Names for `--prefer`.
  package static let names = [
    "whole", "complete", "lossless", "rate", "bitrate", "album", "tags", "cover", "oldest", "newest", "under:FOLDER",
  ]

  /// `nil` for a name that is none.
  package init?(_ name: String) {
    if name.hasPrefix("under:") {
      let folder = FilePath(String(name.dropFirst(6)))
      guard folder.isAbsolute else { return nil }
      self = .under(folder.lexicallyNormalized())
      return
    }
    let rules: [String: KeepingRule] = [
      "whole": .whole, "complete": .complete, "lossless": .lossless, "rate": .rate, "bitrate": .bitRate,
      "album": .album, "tags": .tags, "cover": .cover, "oldest": .oldest, "newest": .newest,
    ]
    guard let rule = rules[name] else { return nil }
    self = rule
  }

  /// The order in which rules count, if some are preferred.
  static func order(preferring preferred: [KeepingRule]) -> [KeepingRule] {
    preferred + standard.filter { !preferred.contains($0) }
  }

  /// What a file has by a rule: the more, the better.
  /// - Parameters:
  ///   - length: Seconds of the recording that the file has.
  ///   - albumSize: Tracks of its album that are in its folder.
  func value(of record: FileRecord, length: Double, albumSize: Int) -> Double {
    switch self {
    case .whole: record.status == .ok ? 1 : 0
    case .complete: length
    case .lossless: Losslessness(of: record).isLossless ? 1 : 0
    case .rate: Self.rate(of: record)
    case .bitRate: Losslessness(of: record).isLossless ? 0 : Double(record.format?.bitRate ?? 0)
    case .album: Double(albumSize)
    case .tags: Double(Self.tagNames.count { !record.track.values($0).isEmpty })
    case .cover: record.tags?.pictures.isEmpty == false ? 1 : 0
    case .oldest: -Double(record.modified?.seconds ?? .max)
    case .newest: Double(record.modified?.seconds ?? 0)
    case .under(let folder): record.path.starts(with: folder) ? 1 : 0
    }
  }

  /// Encoders throw away most of what is above 20 kHz, so a lossy file has nothing of a rate above that of a CD.
  private static func rate(of record: FileRecord) -> Double {
    guard let format = record.format else { return 0 }
    return Losslessness(of: record).isLossless
      ? Double(format.sampleRate * 100 + (format.bitDepth ?? 0)) : Double(min(format.sampleRate, 44_100) * 100)
  }

  /// By how much a value must be greater to count.
  var tolerance: Double {
    switch self {
    // At both ends.
    case .complete: 2 * RelationRule.endTolerance
    case .bitRate: 8_000
    case .album, .tags: 1
    default: 0
    }
  }

  /// Why a file is kept that has more by this rule than another one.
  var reason: String {
    switch self {
    case .whole: "not damaged"
    case .complete: "more complete"
    case .lossless: "lossless"
    case .rate: "higher sample rate or bit depth"
    case .bitRate: "higher bit rate"
    case .album: "in a more complete album"
    case .tags: "more tags"
    case .cover: "has a cover"
    case .oldest: "older file"
    case .newest: "newer file"
    case .under(let folder): "under \(DisplayPath.text(of: folder))"
    }
  }

  private static let tagNames = [
    "title", "artist", "album", "albumartist", "track", "date", "genre", "musicbrainz_recordingid", "isrc",
  ]
}

/// Whether a file is lossless, as far as is known: by its codec, and not `lossy` by the analyzer `origin`.
private struct Losslessness {
  let isLossless: Bool

  init(of record: FileRecord) {
    isLossless =
      record.format?.isLossless ?? false
      && record.findings[OriginFinding.self]?.verdict != OriginFinding.Verdict.lossy.rawValue
  }
}
