internal import AudioAnalysis

/// One tag with its keys turned into the names of `TagField`.
struct CanonicalTags {
  /// Values of fields that have a canonical name.
  private(set) var fields: [String: [String]] = [:]
  /// Values of the others, under the keys of the format.
  private(set) var others: [String: [String]] = [:]
  private(set) var hasLyrics: Bool
  private(set) var remarks: [String] = []
  /// Names and values taken so far; a repeated value counts once.
  private var known: Set<RawTag.Entry> = []
  private var impliedTotals: [String: String] = [:]
  private var oversizedCount = 0

  /// Bytes of one value without a canonical name. What is longer is no text for people but the data of some program.
  private static let maximumOtherSize = 32 * 1024

  init(_ tag: RawTag) {
    hasLyrics = tag.hasTimedLyrics
    let space = tag.format.keySpace
    // Values by field, one list for each key that the format has for it.
    var found: [String: [Int: [RawTag.Entry]]] = [:]
    for entry in tag.entries {
      for part in entry.value.split(separator: "\0") {
        let value = TagValue.cleaned(String(part))
        guard !value.isEmpty else { continue }
        if let meaning = TagKeys.meaning(of: entry.key, in: space) {
          found[meaning.field, default: [:]][meaning.rank, default: []].append(
            RawTag.Entry(key: entry.key, value: value))
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
            hasLyrics = true
          } else if isTaken || !add(entry.value, to: field, isID3: space == .id3v2) {
            add(entry.value, toOther: entry.key, unlessIn: field)
          }
        }
        isTaken = isTaken || fields[field] != nil || field == "lyrics"
      }
    }
    // A total in a field of its own says more than the one behind the number.
    for (field, total) in impliedTotals where fields[field] == nil { fields[field] = [total] }
    if oversizedCount > 0 {
      remarks.append("\(oversizedCount) values of the \(tag.format.name) tag are no text but data; they were left out.")
    }
  }

  /// False if the value is none that the field can have, or one too many.
  private mutating func add(_ value: String, to field: String, isID3: Bool) -> Bool {
    switch field {
    case "track", "disc":
      let (number, total) = TagValue.numberAndTotal(value)
      if let total, impliedTotals[field + "total"] == nil { impliedTotals[field + "total"] = String(total) }
      // Zero stands for none.
      guard let number else { return total != nil || value.allSatisfy { $0 == "0" || $0 == "/" } }
      return set(String(number), of: field)
    case "tracktotal", "disctotal":
      guard let count = TagValue.numberAndTotal(value).number else { return value.allSatisfy { $0 == "0" } }
      return set(String(count), of: field)
    case "compilation":
      guard let flag = TagValue.flag(value) else { return false }
      return set(flag, of: field)
    case "bpm":
      // Zero stands for none.
      if value != "0" { append(value, to: field) }
    case "date", "originaldate":
      guard TagValue.isDate(value) else { return false }
      append(TagValue.date(value), to: field)
    case "genre" where isID3:
      for genre in TagValue.genres(value) { append(genre, to: field) }
    default:
      append(value, to: field)
    }
    return true
  }

  private mutating func append(_ value: String, to field: String) {
    if known.insert(RawTag.Entry(key: field, value: value)).inserted { fields[field, default: []].append(value) }
  }

  /// False if the field has another value already.
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
