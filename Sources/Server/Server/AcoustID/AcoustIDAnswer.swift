internal import Analysis
internal import Library
internal import Records
internal import SystemPackage
internal import Text

/// A lookup result for one track in AcoustID's format, built from the tags of the files that contain its audio.
struct AcoustIDAnswer: Sendable {
  /// The data requested in addition to the id: the words of the parameter `meta`.
  struct Meta: Sendable {
    var words: Set<String>

    init(_ text: String) {
      words = Set(text.split { " +,\n".contains($0) }.map { $0.lowercased() })
    }

    func has(_ word: String) -> Bool { words.contains(word) }
  }

  /// A file, with the id that the rest of this server uses for it.
  typealias File = (id: String, record: FileRecord)

  var content: ContentID
  /// The score, from 0 to 1.
  var score: Double
  /// All files that contain the audio.
  var files: [File]

  /// The content id as a UUID, which is the form of AcoustID's ids.
  static func uuid(of content: ContentID) -> String {
    let digits = [content.high, content.low].map { number in
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
    var groups: [Substring] = []
    var rest = digits[...]
    for length in [8, 4, 4, 4, 12] {
      groups.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return groups.joined(separator: "-")
  }

  /// Returns the content id that `uuid(of:)` wrote as a UUID; `nil` if the text does not have the form of a UUID.
  static func content(ofUUID text: String) -> ContentID? {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
    let digits = groups.joined()
    guard let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.suffix(16), radix: 16) else {
      return nil
    }
    return ContentID(high: high, low: low)
  }

  func jsonValue(_ meta: Meta) -> JSONValue {
    var object: [String: JSONValue] = [
      "id": .string(Self.uuid(of: content)), "score": .number((score * 1e6).rounded() / 1e6),
    ]
    let recordings = recordings(meta)
    if !recordings.isEmpty { object["recordings"] = .array(recordings) }
    if !meta.has("recordings") && !meta.has("recordingids") {
      let groups = releaseGroups(files, meta)
      if !groups.isEmpty { object["releasegroups"] = .array(groups) }
      let releases = releases(files, meta)
      if groups.isEmpty, !releases.isEmpty { object["releases"] = .array(releases) }
    }
    if meta.has("files") { object["files"] = .array(files.map(Self.file)) }
    return .object(object)
  }

  // MARK: Recordings

  private func recordings(_ meta: Meta) -> [JSONValue] {
    guard meta.has("recordings") || meta.has("recordingids") || meta.has("usermeta") else { return [] }
    var order: [String] = []
    var byID: [String: [File]] = [:]
    var unnamed: [File] = []
    for file in files {
      guard let id = file.record.track.first("musicbrainz_recordingid")?.lowercased() else {
        unnamed.append(file)
        continue
      }
      if byID[id] == nil { order.append(id) }
      byID[id, default: []].append(file)
    }
    var recordings: [JSONValue] = []
    if meta.has("recordings") || meta.has("recordingids") {
      recordings = order.map { recording($0, byID[$0] ?? [], meta) }
    }
    // As in AcoustID, a track that is not linked to a recording gets an entry without an id, here with the tags of a
    // file.
    if meta.has("usermeta"), order.isEmpty, let file = unnamed.first(where: { $0.record.track.titleTag != nil }) {
      recordings.append(recording(nil, [file], meta))
    }
    return recordings
  }

  private func recording(_ id: String?, _ files: [File], _ meta: Meta) -> JSONValue {
    guard let record = files.first?.record else { return .null }
    var object: [String: JSONValue] = [:]
    object["id"] = id.map { .string($0) }
    if meta.has("sources") { object["sources"] = .integer(Int64(files.count)) }
    guard meta.has("recordings") || id == nil else { return .object(object) }
    object["title"] = record.track.titleTag.map { .string($0) }
    object["duration"] = record.format?.duration.map { .integer(Int64($0.rounded())) }
    let artists = Self.artists(record, names: "artist", ids: "musicbrainz_artistid")
    if !artists.isEmpty { object["artists"] = .array(artists) }
    let groups = releaseGroups(files, meta)
    if !groups.isEmpty {
      object["releasegroups"] = .array(groups)
    } else {
      let releases = releases(files, meta)
      if !releases.isEmpty { object["releases"] = .array(releases) }
    }
    return .object(object)
  }

  /// Returns the artists, with ids only if there are as many ids as names.
  private static func artists(_ record: FileRecord, names: String, ids: String) -> [JSONValue] {
    let names = record.track.values(names)
    let ids = record.track.values(ids)
    return names.enumerated().map { place, name in
      var artist: [String: JSONValue] = ["name": .string(name)]
      if ids.count == names.count { artist["id"] = .string(ids[place]) }
      if place + 1 < names.count { artist["joinphrase"] = ", " }
      return .object(artist)
    }
  }

  // MARK: Releases

  private func releaseGroups(_ files: [File], _ meta: Meta) -> [JSONValue] {
    guard meta.has("releasegroups") || meta.has("releasegroupids") else { return [] }
    return grouped(files, by: "musicbrainz_releasegroupid").map { id, files in
      var object: [String: JSONValue] = ["id": .string(id)]
      if meta.has("releasegroups"), let record = files.first?.record {
        object["title"] = record.track.album.map { .string($0) }
        object["type"] = record.track.first("releasetype").map { .string($0) }
        let artists = Self.artists(record, names: "albumartist", ids: "musicbrainz_albumartistid")
        if !artists.isEmpty { object["artists"] = .array(artists) }
      }
      let releases = releases(files, meta)
      if !releases.isEmpty { object["releases"] = .array(releases) }
      return .object(object)
    }
  }

  private func releases(_ files: [File], _ meta: Meta) -> [JSONValue] {
    guard meta.has("releases") || meta.has("releaseids") else { return [] }
    return grouped(files, by: "musicbrainz_albumid").map { id, files in
      var object: [String: JSONValue] = ["id": .string(id)]
      guard meta.has("releases"), let record = files.first?.record else { return .object(object) }
      object["title"] = record.track.album.map { .string($0) }
      object["country"] = record.track.first("releasecountry").map { .string($0) }
      object["date"] = record.track.date.map(Self.date)
      object["medium_count"] = record.track.number("disctotal").map { .integer(Int64($0)) }
      object["track_count"] = record.track.number("tracktotal").map { .integer(Int64($0)) }
      let artists = Self.artists(record, names: "albumartist", ids: "musicbrainz_albumartistid")
      if !artists.isEmpty { object["artists"] = .array(artists) }
      if meta.has("tracks") { object["mediums"] = .array([Self.medium(record)]) }
      return .object(object)
    }
  }

  private static func medium(_ record: FileRecord) -> JSONValue {
    var track: [String: JSONValue] = [:]
    track["id"] = record.track.first("musicbrainz_trackid").map { .string($0) }
    track["position"] = record.track.number("track").map { .integer(Int64($0)) }
    track["title"] = record.track.titleTag.map { .string($0) }
    var medium: [String: JSONValue] = ["tracks": .array([.object(track)])]
    medium["position"] = record.track.number("disc").map { .integer(Int64($0)) }
    medium["track_count"] = record.track.number("tracktotal").map { .integer(Int64($0)) }
    medium["format"] = record.track.first("media").map { .string($0) }
    return .object(medium)
  }

  private func grouped(_ files: [File], by name: String) -> [(id: String, files: [File])] {
    var groups: [(id: String, files: [File])] = []
    for file in files {
      guard let id = file.record.track.first(name)?.lowercased() else { continue }
      if let index = groups.firstIndex(where: { $0.id == id }) {
        groups[index].files.append(file)
      } else {
        groups.append((id, [file]))
      }
    }
    return groups
  }

  /// Returns `{"year": …, "month": …, "day": …}`, without unknown parts.
  private static func date(_ date: PartialDate) -> JSONValue {
    var object: [String: JSONValue] = ["year": .integer(Int64(date.year))]
    object["month"] = date.month.map { .integer(Int64($0)) }
    object["day"] = date.day.map { .integer(Int64($0)) }
    return .object(object)
  }

  /// Returns the entry for a file that contains the track. `meta=files`, which requests these entries, is an extension
  /// of this server.
  private static func file(_ file: File) -> JSONValue {
    let record = file.record
    var object: [String: JSONValue] = ["id": .string(file.id)]
    object["title"] = .string(record.track.title)
    let artists = record.track.values("artist")
    if !artists.isEmpty { object["artists"] = .array(artists.map { .string($0) }) }
    object["album"] = record.track.album.map { .string($0) }
    object["duration_s"] = record.format?.duration.map { .number(($0 * 1000).rounded() / 1000) }
    return .object(object)
  }
}
