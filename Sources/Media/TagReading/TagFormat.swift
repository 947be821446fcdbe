/// A tag format, as found in a file.
enum TagFormat: Hashable {
  /// ID3v2, with its minor version: 2, 3 or 4.
  case id3v2(Int)
  case id3v1, lyrics3, apev2, vorbis, mp4, asf, riffInfo, aiff, dsdiff, matroska
  /// A tracker module, with its format: `mod`, `s3m`, `it` or `xm`.
  case tracker(String)

  /// The name in `TagFinding.formats`.
  var name: String {
    switch self {
    case .id3v2(let minor): "id3v2.\(minor)"
    case .id3v1: "id3v1"
    case .lyrics3: "lyrics3"
    case .apev2: "apev2"
    case .vorbis: "vorbis"
    case .mp4: "mp4"
    case .asf: "asf"
    case .riffInfo: "riff_info"
    case .aiff: "aiff"
    case .dsdiff: "dsdiff"
    case .matroska: "matroska"
    case .tracker(let name): name
    }
  }

  /// The naming scheme, which selects a column of `TagKeys`. Several formats share one if their keys have the same
  /// meanings.
  var keySpace: KeySpace {
    switch self {
    case .id3v2: .id3v2
    case .apev2: .apev2
    case .vorbis: .vorbis
    case .mp4: .mp4
    case .asf: .asf
    case .riffInfo: .riffInfo
    case .matroska: .matroska
    case .id3v1, .lyrics3, .aiff, .dsdiff, .tracker: .plain
    }
  }
}

/// The naming scheme of a tag's keys.
package enum KeySpace: String, Hashable, Sendable, CaseIterable {
  case id3v2, vorbis, mp4, apev2, asf, riffInfo, matroska
  /// Formats without keys, whose fields have canonical names.
  case plain
}
