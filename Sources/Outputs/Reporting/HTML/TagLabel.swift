package import Analysis
internal import Text

/// The tags with labels for people, except tags that have their own columns.
package enum TagLabel {
  /// Returns labels and values in report order. Tags without a canonical name come last.
  package static func rows(of tags: TagFinding) -> [(label: String, value: String)] {
    var rows: [(label: String, value: String)] = []
    func value(_ name: String) -> String? { tags.fields[name].flatMap(ListText.joined) }
    for field in TagField.all {
      guard !columns.contains(field.name), let text = value(field.name), !text.isEmpty else { continue }
      switch field.name {
      case "track": rows.append(("Track", text + (value("tracktotal").map { " of \($0)" } ?? "")))
      case "disc": rows.append(("Disc", text + (value("disctotal").map { " of \($0)" } ?? "")))
      case "tracktotal", "disctotal":
        // The total is part of the number's row, if there is one.
        if tags.fields[String(field.name.dropLast("total".count))] == nil { rows.append((label(field.name), text)) }
      case "genre": if tags.fields[field.name]?.count ?? 0 > 1 { rows.append(("Genres", text)) }
      // A date that is only a year has a column.
      case "date" where text.utf8.count <= 4: break
      case "compilation", "showmovement": rows.append((label(field.name), text == "1" ? "yes" : "no"))
      default: rows.append((label(field.name), text))
      }
    }
    for (name, values) in tags.fields.filter({ $0.key.hasPrefix(TagField.otherPrefix) }).sorted(by: { $0.key < $1.key })
    {
      rows.append((String(name.dropFirst(TagField.otherPrefix.count)), ListText.joined(values) ?? ""))
    }
    return rows
  }

  private static let columns: Set = ["title", "artist", "album"]

  private static func label(_ name: String) -> String {
    labels[name] ?? name.prefix(1).uppercased() + name.dropFirst().replacing("_", with: " ")
  }

  private static let labels = [
    "albumartist": "Album artist", "tracktotal": "Tracks", "disctotal": "Discs", "originaldate": "First released",
    "bpm": "BPM in tags", "initialkey": "Key in tags", "isrc": "ISRC", "catalognumber": "Catalog number",
    "musicbrainz_recordingid": "MusicBrainz recording", "musicbrainz_trackid": "MusicBrainz track",
    "musicbrainz_albumid": "MusicBrainz release", "musicbrainz_artistid": "MusicBrainz artist",
    "musicbrainz_albumartistid": "MusicBrainz album artist",
    "musicbrainz_releasegroupid": "MusicBrainz release group", "acoustid_id": "AcoustID",
    "acoustid_fingerprint": "AcoustID fingerprint", "replaygain_track_gain": "ReplayGain, track",
    "replaygain_track_peak": "ReplayGain peak, track", "replaygain_album_gain": "ReplayGain, album",
    "replaygain_album_peak": "ReplayGain peak, album", "titlesort": "Title, sort form",
    "artistsort": "Artist, sort form", "albumsort": "Album, sort form", "albumartistsort": "Album artist, sort form",
    "composersort": "Composer, sort form", "djmixer": "DJ mixer", "movementnumber": "Movement number",
    "movementtotal": "Movements", "showmovement": "Show movement", "discsubtitle": "Disc subtitle",
    "originalalbum": "Original album", "originalartist": "Original artist", "originalyear": "Original year",
    "originalfilename": "Original file name", "releasecountry": "Release country",
    "releasestatus": "Release status", "releasetype": "Release type", "asin": "ASIN",
    "r128_track_gain": "R128 gain, track", "r128_album_gain": "R128 gain, album",
    "encodedby": "Encoded by", "encodersettings": "Encoder settings",
  ]
}
