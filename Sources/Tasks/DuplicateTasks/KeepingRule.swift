internal import Analysis
internal import Duplicates
internal import Library
internal import Platform
internal import Records
package import SystemPackage

/// A criterion for choosing which file of a recording to keep.
package enum KeepingRule: Hashable, Sendable {
  /// Prefers files without damage.
  case whole
  /// Prefers the file that contains the largest part of the recording.
  case complete
  case lossless
  /// Prefers the higher sample rate, then the higher bit depth.
  case rate
  case bitRate
  /// Prefers the file with the most tracks of its album in the same folder.
  case album
  /// Prefers the file with the most tags.
  case tags
  case cover
  /// Prefers the earliest modification time.
  case oldest
  case newest
  /// Prefers files inside a folder.
  case under(FilePath)

  /// The default order of the rules.
  static let standard: [KeepingRule] = [
    .whole, .complete, .lossless, .rate, .bitRate, .album, .tags, .cover, .oldest,
  ]

  /// The names of the rules for `--prefer`.
  package static let names = [
    "whole", "complete", "lossless", "rate", "bitrate", "album", "tags", "cover", "oldest", "newest", "under:FOLDER",
  ]

  /// Returns `nil` for an unknown name, and for `under:` with a relative path.
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

  /// Returns the preferred rules, followed by the other standard rules.
  static func order(preferring preferred: [KeepingRule]) -> [KeepingRule] {
    preferred + standard.filter { !preferred.contains($0) }
  }

  /// Returns the value of a file according to this rule. Higher is better.
  /// - Parameters:
  ///   - length: Duration of the recording in the file, in seconds.
  ///   - albumSize: Number of tracks of the file's album in its folder.
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

  /// Returns the sample rate times 100, plus the bit depth for a lossless file. Lossy encoders discard most content
  /// above 20 kHz, so for lossy files a rate above 44.1 kHz counts as 44.1 kHz.
  private static func rate(of record: FileRecord) -> Double {
    guard let format = record.format else { return 0 }
    return Losslessness(of: record).isLossless
      ? Double(format.sampleRate * 100 + (format.bitDepth ?? 0)) : Double(min(format.sampleRate, 44_100) * 100)
  }

  /// The largest difference between two values that still count as equal.
  var tolerance: Double {
    switch self {
    // The tolerance applies to each end of the recording.
    case .complete: 2 * RelationRule.endTolerance
    case .bitRate: 8_000
    case .album, .tags: 1
    default: 0
    }
  }

  /// The reason shown for a file that this rule prefers.
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

extension FileRecord {
  /// `true` if the file is undamaged, and its audio has not been through a lossy codec as far as is known.
  var isWholeAndLossless: Bool { status == .ok && Losslessness(of: self).isLossless }
}

private struct Losslessness {
  /// `true` if the codec is lossless and the analyzer `origin` has not found `lossy`.
  let isLossless: Bool

  init(of record: FileRecord) {
    isLossless =
      record.format?.isLossless ?? false
      && record.findings[OriginFinding.self]?.verdict != OriginFinding.Verdict.lossy.rawValue
  }
}
