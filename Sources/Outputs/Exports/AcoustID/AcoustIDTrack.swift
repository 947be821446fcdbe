internal import Analysis
internal import Library
internal import Records

/// The facts about a track that are sent to AcoustID.
struct AcoustIDTrack {
  /// Fields of the look-up; `nil` if there is nothing to look up.
  var lookupFields: [(String, String)]?
  /// Fields of the submission; `nil` if the track must not be submitted.
  var submissionFields: [(String, String)]?
  /// The reason the track is in only one of the lists, or in neither.
  var reason: String?

  /// The durations that AcoustID accepts, in seconds.
  private static let durations = 1...32_767
  /// Duration of the audio that the fingerprint in a submission covers, in seconds. Shorter recordings are covered
  /// completely.
  private static let covered = 120.0
  /// Tolerance for the delay of the resampler and for rounding, in seconds.
  private static let tolerance = 0.25

  init(_ record: FileRecord) {
    guard let fingerprint = record.findings[FingerprintFinding.self], fingerprint.algorithm == "chromaprint-2",
      !fingerprint.value.isEmpty
    else {
      reason = "no fingerprint"
      return
    }
    guard let format = record.format, let duration = format.duration, Self.durations.contains(Int(duration)) else {
      reason = "no duration from 1 to 32767 s"
      return
    }
    let lookup = [("duration", String(Int(duration))), ("fingerprint", fingerprint.value)]
    lookupFields = lookup
    // A fingerprint of a damaged file would mislead other people.
    guard record.status == .ok else {
      reason = "not submitted: the file is damaged"
      return
    }
    guard abs(fingerprint.duration - min(Self.covered, duration)) <= Self.tolerance else {
      reason = "not submitted: the fingerprint does not cover the first 120 s"
      return
    }
    let names = Self.names(of: record.track)
    guard names.contains(where: { $0.0 == "mbid" }) || Set(["track", "artist"]).isSubset(of: names.map(\.0)) else {
      reason = "not submitted: neither a MusicBrainz recording id nor title and artist"
      return
    }
    var fields = lookup
    if let rate = format.bitRate, rate >= 1_000 { fields.append(("bitrate", String((rate + 500) / 1_000))) }
    fields.append(("fileformat", format.codec.uppercased()))
    submissionFields = fields + names
  }

  private static func names(of track: Track) -> [(String, String)] {
    var fields: [(String, String)] = []
    func add(_ name: String, _ value: String?) {
      if let value { fields.append((name, value)) }
    }
    for id in track.values("musicbrainz_recordingid") where isUUID(id) { add("mbid", id.lowercased()) }
    add("track", track.titleTag)
    add("artist", track.artist)
    add("album", track.album)
    add("albumartist", track.text("albumartist"))
    add("year", track.year.map { String($0) })
    add("trackno", track.number("track").map { String($0) })
    add("discno", track.number("disc").map { String($0) })
    return fields
  }

  /// Returns whether a text consists of 8-4-4-4-12 hexadecimal digits.
  private static func isUUID(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.allSatisfy { $0.isHexDigit } }
  }
}
