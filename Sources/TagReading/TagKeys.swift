internal import AudioAnalysis

/// Under which keys each tag format keeps a field, after MusicBrainz Picard's table of tag mappings. Of several keys,
/// the first one that a tag has counts. Comparison ignores case.
///
/// Writers also put names of Vorbis comments where other formats allow keys of one's own (`TXXX:TRACKTOTAL` in ID3v2);
/// these count after the keys of the table.
struct TagKeys {
  /// Name of the field in `TagField.all`, or `lyrics`.
  var field: String
  /// Frames under their names in version 2.4, which TagLib gives to those of 2.2 and 2.3; then what is still found in
  /// tags that mix the versions.
  var id3v2: [String] = []
  var vorbis: [String] = []
  var mp4: [String] = []
  var apev2: [String] = []
  var asf: [String] = []
  var riffInfo: [String] = []

  private static let iTunes = "----:com.apple.iTunes:"

  static let table: [TagKeys] = [
    TagKeys(
      field: "title", id3v2: ["TIT2"], vorbis: ["TITLE"], mp4: ["©nam"], apev2: ["TITLE"], asf: ["Title"],
      riffInfo: ["INAM"]),
    TagKeys(
      field: "artist", id3v2: ["TPE1"], vorbis: ["ARTIST"], mp4: ["©ART"], apev2: ["ARTIST"], asf: ["Author"],
      riffInfo: ["IART"]),
    TagKeys(
      field: "artists", id3v2: ["TXXX:Artists"], vorbis: ["ARTISTS"], mp4: [iTunes + "ARTISTS"], apev2: ["ARTISTS"],
      asf: ["WM/ARTISTS"]),
    TagKeys(
      field: "album", id3v2: ["TALB"], vorbis: ["ALBUM"], mp4: ["©alb"], apev2: ["ALBUM"], asf: ["WM/AlbumTitle"],
      riffInfo: ["IPRD"]),
    TagKeys(
      field: "albumartist", id3v2: ["TPE2"], vorbis: ["ALBUMARTIST", "ALBUM ARTIST"], mp4: ["aART"],
      apev2: ["ALBUM ARTIST", "ALBUMARTIST"], asf: ["WM/AlbumArtist"]),
    TagKeys(
      field: "track", id3v2: ["TRCK"], vorbis: ["TRACKNUMBER"], mp4: ["trkn"], apev2: ["TRACK"],
      asf: ["WM/TrackNumber"], riffInfo: ["IPRT", "ITRK"]),
    TagKeys(field: "tracktotal", vorbis: ["TRACKTOTAL", "TOTALTRACKS"]),
    TagKeys(
      field: "disc", id3v2: ["TPOS"], vorbis: ["DISCNUMBER"], mp4: ["disk"], apev2: ["DISC"],
      asf: ["WM/PartOfSet"]),
    TagKeys(field: "disctotal", vorbis: ["DISCTOTAL", "TOTALDISCS"]),
    TagKeys(
      field: "date", id3v2: ["TDRC", "TYER"], vorbis: ["DATE", "YEAR"], mp4: ["©day"], apev2: ["YEAR"],
      asf: ["WM/Year"], riffInfo: ["ICRD"]),
    TagKeys(
      field: "originaldate", id3v2: ["TDOR", "TORY"], vorbis: ["ORIGINALDATE", "ORIGINALYEAR"],
      mp4: [iTunes + "ORIGINALDATE"], apev2: ["ORIGINALDATE", "ORIGINALYEAR"],
      asf: ["WM/OriginalReleaseTime", "WM/OriginalReleaseYear"]),
    TagKeys(
      field: "genre", id3v2: ["TCON"], vorbis: ["GENRE"], mp4: ["©gen"], apev2: ["GENRE"], asf: ["WM/Genre"],
      riffInfo: ["IGNR"]),
    TagKeys(
      field: "composer", id3v2: ["TCOM"], vorbis: ["COMPOSER"], mp4: ["©wrt"], apev2: ["COMPOSER"],
      asf: ["WM/Composer"],
      riffInfo: ["IMUS"]),
    TagKeys(
      field: "comment", id3v2: ["COMM", "COMM:ID3v1 Comment"], vorbis: ["COMMENT", "DESCRIPTION"], mp4: ["©cmt"],
      apev2: ["COMMENT"], asf: ["Description"], riffInfo: ["ICMT"]),
    TagKeys(
      field: "bpm", id3v2: ["TBPM"], vorbis: ["BPM"], mp4: ["tmpo"], apev2: ["BPM"], asf: ["WM/BeatsPerMinute"]),
    TagKeys(
      field: "initialkey", id3v2: ["TKEY"], vorbis: ["INITIALKEY", "KEY"],
      mp4: [iTunes + "initialkey"], apev2: ["INITIALKEY", "KEY"], asf: ["WM/InitialKey"]),
    TagKeys(
      field: "isrc", id3v2: ["TSRC"], vorbis: ["ISRC"], mp4: [iTunes + "ISRC"], apev2: ["ISRC"], asf: ["WM/ISRC"]),
    TagKeys(
      field: "label", id3v2: ["TPUB"], vorbis: ["LABEL", "ORGANIZATION", "PUBLISHER"], mp4: [iTunes + "LABEL"],
      apev2: ["LABEL", "PUBLISHER"], asf: ["WM/Publisher"]),
    TagKeys(
      field: "catalognumber", id3v2: ["TXXX:CATALOGNUMBER"], vorbis: ["CATALOGNUMBER"], mp4: [iTunes + "CATALOGNUMBER"],
      apev2: ["CATALOGNUMBER"], asf: ["WM/CatalogNo"]),
    TagKeys(
      field: "language", id3v2: ["TLAN"], vorbis: ["LANGUAGE"], mp4: [iTunes + "LANGUAGE"], apev2: ["LANGUAGE"],
      asf: ["WM/Language"]),
    TagKeys(
      field: "compilation", id3v2: ["TCMP"], vorbis: ["COMPILATION"], mp4: ["cpil"], apev2: ["COMPILATION"],
      asf: ["WM/IsCompilation"]),
    TagKeys(
      field: "musicbrainz_recordingid", id3v2: ["UFID:http://musicbrainz.org", "TXXX:MusicBrainz Track Id"],
      vorbis: ["MUSICBRAINZ_TRACKID"], mp4: [iTunes + "MusicBrainz Track Id"], apev2: ["MUSICBRAINZ_TRACKID"],
      asf: ["MusicBrainz/Track Id"]),
    musicBrainz("musicbrainz_trackid", "Release Track Id", key: "MUSICBRAINZ_RELEASETRACKID"),
    musicBrainz("musicbrainz_albumid", "Album Id"),
    musicBrainz("musicbrainz_artistid", "Artist Id"),
    musicBrainz("musicbrainz_albumartistid", "Album Artist Id"),
    musicBrainz("musicbrainz_releasegroupid", "Release Group Id"),
    acoustID("acoustid_id", "Id"),
    acoustID("acoustid_fingerprint", "Fingerprint"),
    replayGain("replaygain_track_gain"),
    replayGain("replaygain_track_peak"),
    replayGain("replaygain_album_gain"),
    replayGain("replaygain_album_peak"),
    TagKeys(
      field: "lyrics", id3v2: ["USLT"], vorbis: ["LYRICS", "UNSYNCEDLYRICS"], mp4: ["©lyr"],
      apev2: ["LYRICS", "UNSYNCEDLYRICS"], asf: ["WM/Lyrics"]),
  ]

  private static func musicBrainz(_ field: String, _ name: String, key: String? = nil) -> TagKeys {
    let key = key ?? field.uppercased()
    return TagKeys(
      field: field, id3v2: ["TXXX:MusicBrainz " + name], vorbis: [key], mp4: [iTunes + "MusicBrainz " + name],
      apev2: [key], asf: ["MusicBrainz/" + name])
  }

  private static func acoustID(_ field: String, _ name: String) -> TagKeys {
    TagKeys(
      field: field, id3v2: ["TXXX:Acoustid " + name], vorbis: [field], mp4: [iTunes + "Acoustid " + name],
      apev2: [field], asf: ["Acoustid/" + name])
  }

  private static func replayGain(_ field: String) -> TagKeys {
    TagKeys(
      field: field, id3v2: ["TXXX:" + field], vorbis: [field], mp4: [iTunes + field], apev2: [field], asf: [field])
  }

  struct Meaning {
    var field: String
    /// 0 for the key that counts before all others.
    var rank: Int
  }

  /// What a key of a format means; `nil` if no field has it.
  static func meaning(of key: String, in space: KeySpace) -> Meaning? {
    meanings[space]?[key.uppercased()]
  }

  private static let meanings: [KeySpace: [String: Meaning]] = {
    var meanings: [KeySpace: [String: Meaning]] = [:]
    for keys in table {
      for space in KeySpace.allCases {
        for (rank, key) in keys.keys(in: space).enumerated() {
          let meaning = Meaning(field: keys.field, rank: rank)
          meanings[space, default: [:]].merge([key.uppercased(): meaning]) { first, _ in first }
        }
      }
    }
    return meanings
  }()

  /// Vorbis names that mean the same in all formats.
  private var commonNames: [String] { vorbis.filter { $0 != "DESCRIPTION" } }

  private func keys(in space: KeySpace) -> [String] {
    switch space {
    case .id3v2: id3v2 + commonNames.map { "TXXX:" + $0 }
    case .vorbis: vorbis
    case .mp4: mp4 + commonNames.map { Self.iTunes + $0 }
    case .apev2: apev2 + commonNames
    case .asf: asf + commonNames
    case .riffInfo: riffInfo
    case .plain: [field]
    }
  }
}
