internal import Text

/// A tag field with a canonical name: the format of its values, and whether reports show them as a list.
///
/// Names and meanings follow MusicBrainz Picard's table of tag mappings. Reports, schemas and the CSV header are
/// generated from `all`. `TagReading` maps the keys of each tag format to these fields.
public struct TagField: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Free text.
    case text
    /// A whole number, kept in `TagFinding` as decimal digits without leading zeros.
    case integer
    /// A number, kept in `TagFinding` with a decimal point only if it has a fractional part.
    case number
    /// A date, usually in ISO 8601 and as precise as in the file: `1999`, `1999-03`, `1999-03-01`, `1999-03-01T12:00`;
    /// other notations are kept unchanged.
    case date
    /// `1` or `0` in `TagFinding`, true or false in reports.
    case flag
    /// A ReplayGain value as written in the file: `-7.35 dB` for a gain, a range or a loudness, `0.988553` for a peak.
    case gain
    /// A code that is meaningful only as a whole: UUID, ISRC, fingerprint.
    case identifier
  }

  /// The key in `TagFinding.fields` and in reports.
  public var name: String
  public var kind: Kind
  /// `true` if reports always show a list, even of one value; `false` if they show a single value.
  public var isList: Bool
  /// One line for schemas and documentation.
  public var summary: String

  /// Every field with a canonical name, in report order.
  public static let all: [TagField] = [
    TagField("title", .text, "Title of the track."),
    TagField("artist", .text, list: true, "Performers as credited; may be one joined credit."),
    TagField("artists", .text, list: true, "One entry per performer."),
    TagField("album", .text, "Title of the release."),
    TagField("albumartist", .text, list: true, "Performers the release is credited to."),
    TagField("track", .integer, "Number of the track on its medium."),
    TagField("tracktotal", .integer, "Tracks on the medium."),
    TagField("disc", .integer, "Number of the medium in the release."),
    TagField("disctotal", .integer, "Media in the release."),
    TagField("date", .date, "Date of this release."),
    TagField("originaldate", .date, "Date of the first release ever."),
    TagField("genre", .text, list: true, "Genres; ID3 genre numbers are resolved to names."),
    TagField("composer", .text, list: true, "Composers."),
    TagField("comment", .text, list: true, "Comments without a description of their own."),
    TagField("bpm", .text, "Beats per minute as tagged, not as measured."),
    TagField("initialkey", .text, "Musical key as tagged, in whatever notation."),
    TagField("isrc", .identifier, list: true, "International Standard Recording Codes (ISO 3901)."),
    TagField("label", .text, list: true, "Record labels."),
    TagField("catalognumber", .text, list: true, "Catalog numbers of the release."),
    TagField("language", .text, list: true, "Languages of the lyrics, mostly ISO 639-2 codes."),
    TagField("compilation", .flag, "Part of a compilation by several artists."),
    TagField("musicbrainz_recordingid", .identifier, "MusicBrainz recording."),
    TagField("musicbrainz_trackid", .identifier, "MusicBrainz track: a recording on one release."),
    TagField("musicbrainz_albumid", .identifier, "MusicBrainz release."),
    TagField("musicbrainz_artistid", .identifier, list: true, "MusicBrainz artists, several for joint credits."),
    TagField("musicbrainz_albumartistid", .identifier, list: true, "MusicBrainz artists of the release."),
    TagField("musicbrainz_releasegroupid", .identifier, "MusicBrainz release group."),
    TagField("acoustid_id", .identifier, "AcoustID."),
    TagField("acoustid_fingerprint", .identifier, "Chromaprint fingerprint as tagged, not as measured."),
    TagField("replaygain_track_gain", .gain, "ReplayGain of the track, in dB."),
    TagField("replaygain_track_peak", .gain, "Peak of the track, full scale = 1."),
    TagField("replaygain_album_gain", .gain, "ReplayGain of the album, in dB."),
    TagField("replaygain_album_peak", .gain, "Peak of the album, full scale = 1."),
    TagField("titlesort", .text, "The title, in its sort form."),
    TagField("artistsort", .text, list: true, "The performers, in their sort form."),
    TagField("albumsort", .text, "The title of the release, in its sort form."),
    TagField("albumartistsort", .text, list: true, "The performers of the release, in their sort form."),
    TagField("composersort", .text, list: true, "The composers, in their sort form."),
    TagField("performer", .text, list: true, "Performers with their roles: Name (instrument)."),
    TagField("conductor", .text, list: true, "Conductors."),
    TagField("lyricist", .text, list: true, "Authors of the lyrics."),
    TagField("writer", .text, list: true, "Authors of words or music, without further detail."),
    TagField("arranger", .text, list: true, "Arrangers."),
    TagField("remixer", .text, list: true, "Remixers."),
    TagField("producer", .text, list: true, "Producers."),
    TagField("engineer", .text, list: true, "Engineers."),
    TagField("mixer", .text, list: true, "Mixing engineers."),
    TagField("djmixer", .text, list: true, "DJs who mixed the release."),
    TagField("director", .text, list: true, "Directors of a video."),
    TagField("work", .text, list: true, "Works that the track is a recording of."),
    TagField("movement", .text, "Title of the movement."),
    TagField("movementnumber", .integer, "Number of the movement in the work."),
    TagField("movementtotal", .integer, "Movements in the work."),
    TagField("showmovement", .flag, "Players show work and movement instead of the title."),
    TagField("subtitle", .text, "Subtitle of the track."),
    TagField("discsubtitle", .text, "Title of the medium."),
    TagField("grouping", .text, list: true, "Groups that the track belongs to."),
    TagField("mood", .text, list: true, "Moods."),
    TagField("originalalbum", .text, "Title of the release that the track was first on."),
    TagField("originalartist", .text, list: true, "Performers of the original of a cover version."),
    TagField("originalyear", .date, "Year of the first release ever."),
    TagField("originalfilename", .text, "Original name of the file."),
    TagField("media", .text, "Kind of medium: CD, Vinyl, Digital Media, …"),
    TagField("releasecountry", .text, "Country of the release, mostly an ISO 3166-1 code."),
    TagField("releasestatus", .text, "official, promotion, bootleg, …"),
    TagField("releasetype", .text, list: true, "album, single, ep, compilation, live, …"),
    TagField("script", .text, "Script of the titles, mostly an ISO 15924 code."),
    TagField("barcode", .identifier, "Barcode of the release."),
    TagField("asin", .identifier, list: true, "Amazon Standard Identification Numbers."),
    TagField("copyright", .text, list: true, "Copyright messages."),
    TagField("license", .text, list: true, "Licenses, mostly as addresses."),
    TagField("website", .text, list: true, "Official sites of the performers."),
    TagField("encodedby", .text, "Person, organization or program that encoded the file."),
    TagField("encodersettings", .text, "Program and settings that encoded the file."),
    TagField("gapless", .flag, "To be played without a gap."),
    TagField("podcast", .flag, "The file is an episode of a podcast."),
    TagField("podcasturl", .text, "Address of the podcast."),
    TagField("show", .text, "Name of the show."),
    TagField("showsort", .text, "The name of the show, in its sort form."),
    TagField("rating", .number, "Rating of 0 to 5 stars: the first one in the tag."),
    TagField("musicbrainz_discid", .identifier, "MusicBrainz disc."),
    TagField("musicbrainz_workid", .identifier, list: true, "MusicBrainz works."),
    TagField("musicbrainz_originalalbumid", .identifier, "MusicBrainz release that the track was first on."),
    TagField("musicbrainz_originalartistid", .identifier, list: true, "MusicBrainz artists of the original."),
    TagField("musicbrainz_trmid", .identifier, list: true, "TRM ids, which MusicBrainz no longer uses."),
    TagField("musicip_puid", .identifier, list: true, "MusicIP PUID."),
    TagField("musicip_fingerprint", .identifier, "MusicIP fingerprint."),
    TagField("r128_track_gain", .integer, "Gain of the track to -23 LUFS in 1/256 dB (RFC 7845)."),
    TagField("r128_album_gain", .integer, "Gain of the album to -23 LUFS in 1/256 dB (RFC 7845)."),
    TagField("replaygain_track_range", .gain, "Loudness range of the track, in dB."),
    TagField("replaygain_album_range", .gain, "Loudness range of the album, in dB."),
    TagField("replaygain_reference_loudness", .gain, "The reference loudness of ReplayGain."),
  ]

  /// The prefix in `TagFinding.fields` for keys without a canonical name.
  public static let otherPrefix = "other:"

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Returns the field with this name; `nil` if there is none.
  public static func named(_ name: String) -> TagField? { byName[name] }

  private init(_ name: String, _ kind: Kind, list: Bool = false, _ summary: String) {
    self.name = name
    self.kind = kind
    self.isList = list
    self.summary = summary
  }

  /// The field's type in reports.
  public var type: FieldType {
    if isList { return .texts }
    return switch kind {
    case .text, .date, .gain, .identifier: .text
    case .integer: .integer
    case .number: .number
    case .flag: .boolean
    }
  }

  /// Returns the value for reports: a list, a single value, or `.null` if there is no value or it is not a valid
  /// number. In a single-valued text field, several values are joined by ` / `; in single-valued fields of other kinds,
  /// the first value counts.
  public func value(_ values: [String]) -> FieldValue {
    if isList { return values.isEmpty ? .null : .texts(values) }
    guard let first = values.first else { return .null }
    return switch kind {
    case .text: .text(ListText.joined(values) ?? first)
    case .date, .gain, .identifier: .text(first)
    case .integer: Int(first).map { .integer($0) } ?? .null
    case .number: Double(first).map { .number($0) } ?? .null
    case .flag: .boolean(first == "1")
    }
  }
}
