internal import AudioAnalysis

/// One tag with its keys turned into the names of `TagField`.
struct CanonicalTags {
  /// Values of fields that have a canonical name.
  private(set) var fields: [String: [String]] = [:]
  /// Values of the others, under the keys of the format.
  private(set) var others: [String: [String]] = [:]
  private(set) var hasLyrics: Bool

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
          found[meaning.field, default: [:]][meaning.rank, default: []].append(RawTag.Entry(key: entry.key, value: value))
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
    // A total in a field of its own says more than the one behind the number; both come from `found` in any order.
    for (number, total) in [("track", "tracktotal"), ("disc", "disctotal")] {
      if let own = found[total]?.min(by: { $0.key < $1.key })?.value.first,
        let count = TagValue.numberAndTotal(own.value).number
      {
        fields[total] = [String(count)]
      } else if found[number] == nil, fields[total] == [] {
        fields[total] = nil
      }
    }
  }

  /// False if the value is none that the field can have.
  private mutating func add(_ value: String, to field: String, isID3: Bool) -> Bool {
    switch field {
    case "track", "disc":
      let (number, total) = TagValue.numberAndTotal(value)
      if let total { fields[field + "total"] = fields[field + "total"] ?? [String(total)] }
      guard let number else { return total != nil || value.allSatisfy { $0 == "0" } }
      fields[field] = fields[field] ?? [String(number)]
    case "tracktotal", "disctotal":
      return TagValue.numberAndTotal(value).number != nil
    case "compilation":
      guard let flag = TagValue.flag(value) else { return false }
      fields[field] = fields[field] ?? [flag]
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
    if fields[field]?.contains(value) != true { fields[field, default: []].append(value) }
  }

  private mutating func add(_ value: String, toOther key: String, unlessIn field: String? = nil) {
    if let field, fields[field]?.contains(value) == true { return }
    if others[key]?.contains(value) != true { others[key, default: []].append(value) }
  }
}
