internal import Analysis

/// A tag with its keys mapped to the names of `TagField`.
struct CanonicalTags {
  /// Values of the fields that have a canonical name.
  private(set) var fields: [String: [String]] = [:]
  /// Values of all other fields, under the keys of the tag format.
  private(set) var others: [String: [String]] = [:]
  private(set) var lyrics: [TagFinding.Lyrics]
  /// The chapters, sorted by start.
  private(set) var chapters: [TagFinding.Chapter]
  private(set) var remarks: [String] = []
  /// The keys and values added so far, so that repeated values are added only once.
  private var known: Set<RawTag.Entry> = []
  private var knownLyrics: Set<TagFinding.Lyrics> = []
  private var impliedTotals: [String: String] = [:]
  private var oversizedCount = 0

  /// Maximum size, in bytes, of a value without a canonical name. Longer values are program data, not text.
  private static let maximumOtherSize = 32 * 1024

  init(_ tag: RawTag) {
    lyrics = []
    chapters = tag.chapters
    let space = tag.format.keySpace
    // iTunes writes the grouping to a separate frame, `GRP1`; in such tags, `TIT1` contains the work.
    let hasGroupingFrame = space == .id3v2 && tag.entries.contains { $0.key == "GRP1" }
    // Values by field and by the rank of their key.
    var found: [String: [Int: [RawTag.Entry]]] = [:]
    var vorbisChapters = VorbisChapters()
    for entry in tag.entries {
      for part in entry.value.split(separator: "\0") {
        let value = TagValue.cleaned(String(part))
        guard !value.isEmpty else { continue }
        if hasGroupingFrame, entry.key == "TIT1" {
          found["work", default: [:]][.max, default: []].append(RawTag.Entry(key: entry.key, value: value))
        } else if let meaning = TagKeys.meaning(of: entry.key, in: space) {
          found[meaning.field, default: [:]][meaning.rank, default: []].append(
            RawTag.Entry(key: entry.key, value: value))
        } else if space == .vorbis || space == .apev2, vorbisChapters.take(entry.key, value) {
          continue
        } else {
          add(value, toOther: entry.key)
        }
      }
    }
    for (field, ranked) in found {
      var isTaken = false
      for rank in ranked.keys.sorted() {
        for entry in ranked[rank] ?? [] {
          if field == "lyrics" {
            add(LyricsText.lyrics(entry.value))
          } else if isTaken || !add(entry, to: field, in: space) {
            add(entry.value, toOther: entry.key, unlessIn: field)
          }
        }
        isTaken = isTaken || fields[field] != nil || field == "lyrics"
      }
    }
    for text in tag.lyrics { add(text) }
    // An explicit total takes precedence over one that follows a number, and an original date over an original year.
    for (field, total) in impliedTotals where fields[field] == nil { fields[field] = [total] }
    if fields["originaldate"] == nil { fields["originaldate"] = fields["originalyear"] }
    if chapters.isEmpty { chapters = vorbisChapters.chapters }
    chapters.sort { $0.startSeconds < $1.startSeconds }
    if oversizedCount > 0 {
      remarks.append(
        "\(oversizedCount) values of the \(tag.format.name) tag are data rather than text; they were left out.")
    }
  }

  /// Adds a value to a field; returns `false` if the field cannot have this value, or already has a different one.
  private mutating func add(_ entry: RawTag.Entry, to field: String, in space: KeySpace) -> Bool {
    let value = entry.value
    switch field {
    case "track", "disc", "movementnumber":
      let (number, total) = TagValue.numberAndTotal(value)
      let totalField = field == "movementnumber" ? "movementtotal" : field + "total"
      if let total, impliedTotals[totalField] == nil { impliedTotals[totalField] = String(total) }
      // Zero means that there is no value.
      guard let number else { return total != nil || value.allSatisfy { $0 == "0" || $0 == "/" } }
      return set(String(number), of: field)
    case "tracktotal", "disctotal", "movementtotal":
      guard let count = TagValue.numberAndTotal(value).number else { return value.allSatisfy { $0 == "0" } }
      return set(String(count), of: field)
    case "r128_track_gain", "r128_album_gain":
      guard let gain = Int16(value) else { return false }
      return set(String(gain), of: field)
    case "rating":
      guard let rating = TagRating.stars(value, key: entry.key, in: space) else { return false }
      return set(rating, of: field)
    case "compilation", "showmovement", "gapless", "podcast":
      guard let flag = TagValue.flag(value) else { return false }
      return set(flag, of: field)
    case "bpm":
      // Zero means that there is no value.
      if value != "0" { append(value, to: field) }
    case "date", "originaldate", "originalyear":
      guard TagValue.isDate(value) else { return false }
      append(TagValue.date(value), to: field)
    case "genre" where space == .id3v2:
      for genre in TagValue.genres(value) { append(genre, to: field) }
    case "musicip_fingerprint":
      let mark = "MusicMagic Fingerprint "
      append(value.hasPrefix(mark) ? String(value.dropFirst(mark.count)) : value, to: field)
    default:
      append(value, to: field)
    }
    return true
  }

  /// Adds lyrics unless the same ones were added before.
  private mutating func add(_ text: TagFinding.Lyrics) {
    if knownLyrics.insert(text).inserted { lyrics.append(text) }
  }

  private mutating func append(_ value: String, to field: String) {
    if known.insert(RawTag.Entry(key: field, value: value)).inserted { fields[field, default: []].append(value) }
  }

  /// Sets a field; returns `false` if it already has another value.
  private mutating func set(_ value: String, of field: String) -> Bool {
    if fields[field] == nil { fields[field] = [value] }
    return fields[field] == [value]
  }

  private mutating func add(_ value: String, toOther key: String, unlessIn field: String? = nil) {
    if let field, fields[field] == [value] || known.contains(RawTag.Entry(key: field, value: value)) { return }
    guard value.utf8.count <= Self.maximumOtherSize else {
      oversizedCount += 1
      return
    }
    let entry = RawTag.Entry(key: TagField.otherPrefix + key, value: value)
    if known.insert(entry).inserted { others[key, default: []].append(value) }
  }
}

/// Parses chapters in the form of Vorbis comment entries: `CHAPTER001=00:01:02.500`, `CHAPTER001NAME=…` (wiki.xiph.org:
/// Chapter Extension).
private struct VorbisChapters {
  private var starts: [Int: Double] = [:]
  private var names: [Int: String] = [:]

  var chapters: [TagFinding.Chapter] {
    starts.map { TagFinding.Chapter(startSeconds: $0.value, title: names[$0.key]) }
  }

  /// Returns `false` if the entry is not part of a chapter, or repeats an earlier one.
  mutating func take(_ key: String, _ value: String) -> Bool {
    let key = key.uppercased()
    guard key.hasPrefix("CHAPTER"), let number = Int(key.dropFirst(7).prefix(3)), number >= 0 else { return false }
    switch key.dropFirst(10) {
    case "":
      guard starts[number] == nil, let start = Self.seconds(value) else { return false }
      starts[number] = start
    case "NAME":
      guard names[number] == nil else { return false }
      names[number] = value
    default: return false
    }
    return true
  }

  /// Parses `hh:mm:ss.xxx`; `nil` for any other text.
  private static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
    guard parts.count == 3, parts.allSatisfy({ $0 >= 0 && $0 < 1e6 }) else { return nil }
    return (parts[0] * 60 + parts[1]) * 60 + parts[2]
  }
}
