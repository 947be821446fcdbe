internal import Analysis

/// The keys of a field in each tag format, according to MusicBrainz Picard's table of tag mappings. If a tag contains
/// several of the keys, the first one takes precedence. Case is ignored.
///
/// Programs also write Vorbis comment names as custom keys in other formats (`TXXX:TRACKTOTAL` in ID3v2). Such keys
/// have lower precedence than the keys of the table.
package struct TagKeys {
  /// Name of the field in `TagField.all`, or `lyrics`.
  var field: String
  /// Frame names of version 2.4 (`ID3v2FrameNames`), followed by older names that occur in tags that mix versions.
  var id3v2: [String] = []
  var vorbis: [String] = []
  var mp4: [String] = []
  var apev2: [String] = []
  var asf: [String] = []
  var riffInfo: [String] = []
  /// Keys in addition to the Vorbis comment keys, with lower precedence. `MatroskaTags` adds the prefixes.
  var matroska: [String] = []

  private static let iTunes = "----:com.apple.iTunes:"

  static let table: [TagKeys] = [
    TagKeys(
      field: "title", id3v2: ["TIT2"], vorbis: ["TITLE"], mp4: ["©nam"], apev2: ["TITLE"], asf: ["Title"],
      riffInfo: ["INAM"], matroska: ["SEGMENT:TITLE"]),
    TagKeys(
      field: "artist", id3v2: ["TPE1"], vorbis: ["ARTIST"], mp4: ["©ART"], apev2: ["ARTIST"], asf: ["Author"],
      riffInfo: ["IART"]),
    TagKeys(
      field: "artists", id3v2: ["TXXX:Artists"], vorbis: ["ARTISTS"], mp4: [iTunes + "ARTISTS"], apev2: ["ARTISTS"],
      asf: ["WM/ARTISTS"]),
    TagKeys(
      field: "album", id3v2: ["TALB"], vorbis: ["ALBUM"], mp4: ["©alb"], apev2: ["ALBUM"], asf: ["WM/AlbumTitle"],
      riffInfo: ["IPRD"], matroska: ["ALBUM:TITLE"]),
    TagKeys(
      field: "albumartist", id3v2: ["TPE2"], vorbis: ["ALBUMARTIST", "ALBUM ARTIST"], mp4: ["aART"],
      apev2: ["ALBUM ARTIST", "ALBUMARTIST"], asf: ["WM/AlbumArtist"], matroska: ["ALBUM:ARTIST"]),
    TagKeys(
      field: "track", id3v2: ["TRCK"], vorbis: ["TRACKNUMBER"], mp4: ["trkn"], apev2: ["TRACK"],
      asf: ["WM/TrackNumber"], riffInfo: ["IPRT", "ITRK"], matroska: ["PART_NUMBER"]),
    TagKeys(
      field: "tracktotal", vorbis: ["TRACKTOTAL", "TOTALTRACKS"], matroska: ["TOTAL_PARTS", "ALBUM:TOTAL_PARTS"]),
    TagKeys(
      field: "disc", id3v2: ["TPOS"], vorbis: ["DISCNUMBER"], mp4: ["disk"], apev2: ["DISC"],
      asf: ["WM/PartOfSet"], matroska: ["ALBUM:PART_NUMBER"]),
    TagKeys(field: "disctotal", vorbis: ["DISCTOTAL", "TOTALDISCS"]),
    TagKeys(
      field: "date", id3v2: ["TDRC", "TYER"], vorbis: ["DATE", "YEAR"], mp4: ["©day"], apev2: ["YEAR"],
      asf: ["WM/Year"], riffInfo: ["ICRD"], matroska: ["DATE_RELEASED", "DATE_RECORDED"]),
    TagKeys(
      field: "originaldate", id3v2: ["TDOR", "TORY"], vorbis: ["ORIGINALDATE"],
      mp4: [iTunes + "ORIGINALDATE"], apev2: ["ORIGINALDATE"], asf: ["WM/OriginalReleaseTime"]),
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
      mp4: [iTunes + "initialkey"], apev2: ["INITIALKEY", "KEY"], asf: ["WM/InitialKey"], matroska: ["INITIAL_KEY"]),
    TagKeys(
      field: "isrc", id3v2: ["TSRC"], vorbis: ["ISRC"], mp4: [iTunes + "ISRC"], apev2: ["ISRC"], asf: ["WM/ISRC"]),
    TagKeys(
      field: "label", id3v2: ["TPUB"], vorbis: ["LABEL", "ORGANIZATION", "PUBLISHER"], mp4: [iTunes + "LABEL"],
      apev2: ["LABEL", "PUBLISHER"], asf: ["WM/Publisher"]),
    TagKeys(
      field: "catalognumber", id3v2: ["TXXX:CATALOGNUMBER"], vorbis: ["CATALOGNUMBER"], mp4: [iTunes + "CATALOGNUMBER"],
      apev2: ["CATALOGNUMBER"], asf: ["WM/CatalogNo"], matroska: ["CATALOG_NUMBER"]),
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
    musicBrainz("musicbrainz_trackid", "Release Track Id", keys: ["MUSICBRAINZ_RELEASETRACKID"]),
    musicBrainz("musicbrainz_albumid", "Album Id"),
    musicBrainz("musicbrainz_artistid", "Artist Id"),
    musicBrainz("musicbrainz_albumartistid", "Album Artist Id"),
    musicBrainz("musicbrainz_releasegroupid", "Release Group Id"),
    acoustID("acoustid_id", "Id"),
    acoustID("acoustid_fingerprint", "Fingerprint"),
    replayGain("replaygain_track_gain", matroska: ["REPLAYGAIN_GAIN"]),
    replayGain("replaygain_track_peak", matroska: ["REPLAYGAIN_PEAK"]),
    replayGain("replaygain_album_gain", matroska: ["ALBUM:REPLAYGAIN_GAIN"]),
    replayGain("replaygain_album_peak", matroska: ["ALBUM:REPLAYGAIN_PEAK"]),
    sortName("titlesort", "TSOT", mp4: "sonm", asf: "WM/TitleSortOrder"),
    sortName("artistsort", "TSOP", mp4: "soar", asf: "WM/ArtistSortOrder"),
    sortName("albumsort", "TSOA", mp4: "soal", asf: "WM/AlbumSortOrder"),
    sortName("albumartistsort", "TSO2", mp4: "soaa", asf: "WM/AlbumArtistSortOrder"),
    sortName("composersort", "TSOC", mp4: "soco", asf: "WM/ComposerSortOrder"),
    TagKeys(field: "performer", id3v2: ["TMCL"], vorbis: ["PERFORMER"]),
    TagKeys(field: "conductor", id3v2: ["TPE3"], vorbis: ["CONDUCTOR"], asf: ["WM/Conductor"]),
    TagKeys(
      field: "lyricist", id3v2: ["TEXT"], vorbis: ["LYRICIST"], asf: ["WM/Writer"], riffInfo: ["IWRI"]),
    TagKeys(field: "writer", vorbis: ["WRITER"], matroska: ["WRITTEN_BY"]),
    TagKeys(field: "arranger", id3v2: ["TIPL:arranger"], vorbis: ["ARRANGER"], mp4: ["©arg"]),
    TagKeys(
      field: "remixer", id3v2: ["TPE4"], vorbis: ["REMIXER"], apev2: ["MIXARTIST"], asf: ["WM/ModifiedBy"],
      matroska: ["REMIXED_BY"]),
    TagKeys(field: "producer", id3v2: ["TIPL:producer"], vorbis: ["PRODUCER"], mp4: ["©prd"], asf: ["WM/Producer"]),
    TagKeys(
      field: "engineer", id3v2: ["TIPL:engineer"], vorbis: ["ENGINEER"], asf: ["WM/Engineer"], riffInfo: ["IENG"],
      matroska: ["SOUND_ENGINEER"]),
    TagKeys(
      field: "mixer", id3v2: ["TIPL:mix"], vorbis: ["MIXER"], asf: ["WM/Mixer"], matroska: ["MIXED_BY"]),
    TagKeys(field: "djmixer", id3v2: ["TIPL:DJ-mix"], vorbis: ["DJMIXER"], asf: ["WM/DJMixer"]),
    TagKeys(field: "director", vorbis: ["DIRECTOR"], mp4: ["©dir"], asf: ["WM/Director"]),
    TagKeys(field: "work", vorbis: ["WORK"], mp4: ["©wrk"], asf: ["WM/Work"]),
    TagKeys(field: "movement", id3v2: ["MVNM"], vorbis: ["MOVEMENTNAME"], mp4: ["©mvn"]),
    TagKeys(field: "movementnumber", id3v2: ["MVIN"], vorbis: ["MOVEMENT"], mp4: ["©mvi"]),
    TagKeys(field: "movementtotal", vorbis: ["MOVEMENTTOTAL"], mp4: ["©mvc"]),
    TagKeys(field: "showmovement", vorbis: ["SHOWMOVEMENT"], mp4: ["shwm"]),
    TagKeys(field: "subtitle", id3v2: ["TIT3"], vorbis: ["SUBTITLE"], asf: ["WM/SubTitle"]),
    TagKeys(field: "discsubtitle", id3v2: ["TSST"], vorbis: ["DISCSUBTITLE"], asf: ["WM/SetSubTitle"]),
    TagKeys(
      field: "grouping", id3v2: ["GRP1", "TIT1"], vorbis: ["GROUPING"], mp4: ["©grp"],
      asf: ["WM/ContentGroupDescription"]),
    TagKeys(field: "mood", id3v2: ["TMOO"], vorbis: ["MOOD"], asf: ["WM/Mood"]),
    TagKeys(field: "originalalbum", id3v2: ["TOAL"], vorbis: ["ORIGINALALBUM"], asf: ["WM/OriginalAlbumTitle"]),
    TagKeys(
      field: "originalartist", id3v2: ["TOPE"], vorbis: ["ORIGINALARTIST"], apev2: ["ORIGINAL ARTIST"],
      asf: ["WM/OriginalArtist"]),
    TagKeys(field: "originalyear", vorbis: ["ORIGINALYEAR"], asf: ["WM/OriginalReleaseYear"]),
    TagKeys(
      field: "originalfilename", id3v2: ["TOFN"], vorbis: ["ORIGINALFILENAME"], asf: ["WM/OriginalFilename"]),
    TagKeys(
      field: "media", id3v2: ["TMED"], vorbis: ["MEDIA"], asf: ["WM/Media"], riffInfo: ["IMED"],
      matroska: ["ORIGINAL_MEDIA_TYPE"]),
    musicBrainz("releasecountry", "Album Release Country", keys: ["RELEASECOUNTRY"], riffInfo: ["ICNT"]),
    musicBrainz("releasestatus", "Album Status", keys: ["RELEASESTATUS", "MUSICBRAINZ_ALBUMSTATUS"]),
    musicBrainz("releasetype", "Album Type", keys: ["RELEASETYPE", "MUSICBRAINZ_ALBUMTYPE"]),
    TagKeys(field: "script", vorbis: ["SCRIPT"], asf: ["WM/Script"]),
    TagKeys(field: "barcode", vorbis: ["BARCODE"], asf: ["WM/Barcode"]),
    TagKeys(field: "asin", vorbis: ["ASIN"]),
    TagKeys(
      field: "copyright", id3v2: ["TCOP"], vorbis: ["COPYRIGHT"], mp4: ["cprt", "©cpy"], asf: ["Copyright"],
      riffInfo: ["ICOP"]),
    TagKeys(field: "license", id3v2: ["WCOP"], vorbis: ["LICENSE"]),
    TagKeys(
      field: "website", id3v2: ["WOAR"], vorbis: ["WEBSITE"], apev2: ["WEBLINK"], asf: ["WM/AuthorURL"]),
    TagKeys(
      field: "encodedby", id3v2: ["TENC"], vorbis: ["ENCODEDBY", "ENCODED-BY"], mp4: ["©too", "©enc"],
      asf: ["WM/EncodedBy"], matroska: ["ENCODED_BY"]),
    TagKeys(
      field: "encodersettings", id3v2: ["TSSE"], vorbis: ["ENCODERSETTINGS"], asf: ["WM/EncodingSettings"],
      riffInfo: ["ISFT"], matroska: ["ENCODER_SETTINGS"]),
    TagKeys(field: "gapless", mp4: ["pgap"]),
    TagKeys(field: "podcast", id3v2: ["PCST"], mp4: ["pcst"]),
    TagKeys(field: "podcasturl", id3v2: ["WFED"], mp4: ["purl"]),
    TagKeys(field: "show", mp4: ["tvsh"]),
    TagKeys(field: "showsort", mp4: ["sosn"]),
    TagKeys(
      field: "rating", id3v2: ["POPM"], vorbis: ["RATING", "FMPS_RATING"], mp4: ["rate"],
      asf: ["SDB/Rating", "WM/SharedUserRating"]),
    musicBrainz("musicbrainz_discid", "Disc Id"),
    musicBrainz("musicbrainz_workid", "Work Id"),
    musicBrainz("musicbrainz_originalalbumid", "Original Album Id"),
    musicBrainz("musicbrainz_originalartistid", "Original Artist Id"),
    musicBrainz("musicbrainz_trmid", "TRM Id"),
    TagKeys(
      field: "musicip_puid", id3v2: ["TXXX:MusicIP PUID"], vorbis: ["MUSICIP_PUID"], mp4: [iTunes + "MusicIP PUID"],
      asf: ["MusicIP/PUID"]),
    TagKeys(field: "musicip_fingerprint", id3v2: ["TXXX:MusicMagic Fingerprint"], vorbis: ["FINGERPRINT"]),
    TagKeys(field: "r128_track_gain", vorbis: ["R128_TRACK_GAIN"]),
    TagKeys(field: "r128_album_gain", vorbis: ["R128_ALBUM_GAIN"]),
    replayGain("replaygain_track_range"),
    replayGain("replaygain_album_range"),
    replayGain("replaygain_reference_loudness"),
    TagKeys(
      field: "lyrics", id3v2: ["USLT"], vorbis: ["LYRICS", "UNSYNCEDLYRICS", "SYNCEDLYRICS"], mp4: ["©lyr"],
      asf: ["WM/Lyrics"]),
  ]

  private static func sortName(_ field: String, _ frame: String, mp4: String, asf: String) -> TagKeys {
    TagKeys(field: field, id3v2: [frame], vorbis: [field], mp4: [mp4], asf: [asf])
  }

  /// - Parameter keys: Keys in Vorbis comments; `nil` if the key is the name of the field.
  private static func musicBrainz(
    _ field: String, _ name: String, keys: [String]? = nil, riffInfo: [String] = []
  ) -> TagKeys {
    TagKeys(
      field: field, id3v2: ["TXXX:MusicBrainz " + name], vorbis: keys ?? [field], mp4: [iTunes + "MusicBrainz " + name],
      asf: ["MusicBrainz/" + name], riffInfo: riffInfo)
  }

  private static func acoustID(_ field: String, _ name: String) -> TagKeys {
    TagKeys(
      field: field, id3v2: ["TXXX:Acoustid " + name], vorbis: [field], mp4: [iTunes + "Acoustid " + name],
      apev2: [field.uppercased()], asf: ["Acoustid/" + name])
  }

  private static func replayGain(_ field: String, matroska: [String] = []) -> TagKeys {
    TagKeys(
      field: field, id3v2: ["TXXX:" + field.uppercased()], vorbis: [field], mp4: [iTunes + field.uppercased()],
      apev2: [field.uppercased()], asf: [field.uppercased()], matroska: matroska)
  }

  /// Returns the keys of a field in a format, in order of precedence; empty if there are none.
  package static func keys(of field: String, in space: KeySpace) -> [String] {
    table.first { $0.field == field }?.keys(in: space) ?? []
  }

  /// Returns the key to write for a field that a tag lacks. This is Picard's key, unless other programs write and
  /// prefer a different one; `nil` if the format has none.
  package static func newKey(of field: String, in space: KeySpace) -> String? {
    if field == "initialkey", space == .vorbis || space == .apev2 { return "KEY" }
    return keys(of: field, in: space).first
  }

  /// Returns `false` for fields that encoders add without being asked, and for keys without a field: a file that has
  /// only these was never tagged.
  package static func isWrittenByPeople(_ key: String, in space: KeySpace) -> Bool {
    meaning(of: key, in: space).map { TagReader.isWrittenByPeople($0.field) } ?? false
  }

  struct Meaning {
    var field: String
    /// Precedence of the key, starting with 0 for the highest.
    var rank: Int
  }

  /// Returns the meaning of a key; `nil` if it does not belong to a field.
  static func meaning(of key: String, in space: KeySpace) -> Meaning? {
    let key = key.uppercased()
    if let meaning = meanings[space]?[key] { return meaning }
    // In a rating's key, the name is followed by the address of the person who gave the rating.
    guard let end = key.firstIndex(of: ":"), key.hasPrefix("POPM:") || key.hasPrefix("RATING:") else { return nil }
    return meanings[space]?[String(key[..<end])]
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

  /// Vorbis comment names that have the same meaning in all formats.
  private var commonNames: [String] { vorbis.filter { $0 != "DESCRIPTION" } }

  private func keys(in space: KeySpace) -> [String] {
    switch space {
    case .id3v2: id3v2 + commonNames.map { "TXXX:" + $0 }
    case .vorbis: vorbis
    case .mp4: mp4 + commonNames.map { Self.iTunes + $0 }
    case .apev2: apev2 + commonNames
    case .asf: asf + commonNames
    case .riffInfo: riffInfo
    case .matroska: vorbis + matroska
    case .plain: [field]
    }
  }
}
