internal import Analysis
package import Filters
internal import Foundation
package import Text

/// A feature of a filter that Navidrome's smart playlists do not have.
package struct NavidromeError: Error, Hashable {
  package var what: String
  package var advice: String
}

/// A Navidrome smart playlist: rules in JSON, which Navidrome applies to its own library. Format:
/// <https://www.navidrome.org/docs/usage/features/smart-playlists/>.
package enum NavidromeFile {
  private static let comment = "Made by nocturne"
  /// The mark that each of these files contains.
  package static let mark = "\"comment\":\"\(comment)\""

  /// - Parameter fields: Additional fields, such as `sort` and `limit`.
  package static func bytes(
    _ filter: TrackFilter, name: String, with fields: [String: JSONValue] = [:]
  ) throws(NavidromeError) -> [UInt8] {
    var fields = fields
    fields["name"] = .string(name)
    fields["comment"] = .string(comment)
    let rule = try rule(for: filter.expression, isNegated: false)
    fields[rule.isAny ? "any" : "all"] = .array(rule.parts)
    return Array(JSONValue.object(fields).text.utf8) + [10]
  }

  private static func cannotSay(_ what: String, _ advice: String) -> NavidromeError {
    NavidromeError(what: what, advice: advice)
  }

  private struct Rule {
    var isAny = false
    var parts: [JSONValue]

    /// The rule in JSON, as part of another rule.
    var value: JSONValue {
      parts.count == 1 ? parts[0] : .object([isAny ? "any" : "all": .array(parts)])
    }
  }

  private static func rule(
    for expression: TrackFilter.Expression, isNegated: Bool
  ) throws(NavidromeError) -> Rule {
    switch expression {
    case .all(let parts) where parts.isEmpty && !isNegated:
      // Navidrome rejects an empty list, so this rule matches every track instead.
      return Rule(parts: [.object(["gt": .object(["duration": 0])])])
    case .all(let parts), .any(let parts):
      let isAll = if case .all = expression { true } else { false }
      if parts.isEmpty { throw cannotSay("a filter that matches nothing", "Leave it out.") }
      var values: [JSONValue] = []
      for part in parts { values.append(try rule(for: part, isNegated: isNegated).value) }
      // Negation follows De Morgan: not (a and b) is (not a) or (not b).
      return Rule(isAny: isAll == isNegated, parts: values)
    case .not(let inner): return try rule(for: inner, isNegated: !isNegated)
    case .condition(let condition): return try rule(for: condition, isNegated)
    }
  }

  private static func comparison(_ name: String, _ field: String, _ value: JSONValue) -> JSONValue {
    .object([name: .object([field: value])])
  }

  private static func rule(for condition: TrackCondition, _ isNegated: Bool) throws(NavidromeError) -> Rule {
    switch condition {
    case .text(let field, let words):
      let name = isNegated ? "notContains" : "contains"
      let parts = fields(field).map { comparison(name, $0, .string(words.text)) }
      return Rule(isAny: !isNegated, parts: parts)
    case .number(.bpm, let range): return try whole("bpm", range, isNegated, "this range of bpm")
    case .number(.year, let range): return try whole("year", range, isNegated, "this range of years")
    case .number(.duration, let range): return numbers("duration", range, isNegated)
    case .number(.confidence, _): throw cannotSay("confidence:", findings)
    case .number(.integratedLoudness, _): throw cannotSay("lufs:", findings)
    case .key(let key): throw cannotSay("key:\(key.camelot)", findings)
    case .codec(let codec):
      // Navidrome compares the ends of file names, and each of these endings stands for one codec.
      guard ["flac", "mp3", "opus"].contains(codec) else {
        throw cannotSay("codec:\(codec)", "It matches only the ends of file names, so only flac, mp3 and opus work.")
      }
      return Rule(parts: [comparison(isNegated ? "isNot" : "is", "filetype", .string(codec))])
    case .isLossless: throw cannotSay("lossless:", "Name codecs, such as codec:flac, or write an M3U8 file.")
    case .isLocked: throw cannotSay("locked:", findings)
    case .finding(let column, _): throw cannotSay("\(column.name):", findings)
    case .status(let status): throw cannotSay("status:\(status.rawValue)", findings)
    case .problem(let code): throw cannotSay("problem:\(code)", findings)
    case .missing(let name): throw cannotSay("missing:\(name)", "Write an M3U8 file.")
    case .under: throw cannotSay("under:", "Its paths start at its own library: use path: with words of folder names.")
    case .added(let range): return try added(range, isNegated)
    }
  }

  private static let findings = "It does not have Nocturne's findings. Leave the filter out, or write an M3U8 file."

  private static func fields(_ field: TrackCondition.TextField) -> [String] {
    switch field {
    case .anyName: ["artist", "title", "album", "albumartist", "genre"]
    case .artist: ["artist"]
    case .title: ["title"]
    case .album: ["album"]
    case .albumArtist: ["albumartist"]
    case .genre: ["genre"]
    case .path: ["filepath"]
    }
  }

  /// Returns the rule for a range in a field of whole numbers.
  private static func whole(
    _ field: String, _ range: NumberRange, _ isNegated: Bool, _ what: String
  ) throws(NavidromeError) -> Rule {
    let low = range.lower.map { lower in
      let above = Int64(lower.rounded(.up))
      return range.includesLower || Double(above) != lower ? above : above + 1
    }
    let high = range.upper.map { upper in
      let below = Int64(upper.rounded(.down))
      return range.includesUpper || Double(below) != upper ? below : below - 1
    }
    if let low, let high, low > high { throw cannotSay(what, "It compares whole numbers only.") }
    let below = low.map { comparison("lt", field, .integer($0)) }
    let above = high.map { comparison("gt", field, .integer($0)) }
    if isNegated { return Rule(isAny: true, parts: [below, above].compactMap { $0 }) }
    if let low, low == high { return Rule(parts: [comparison("is", field, .integer(low))]) }
    if let low, let high {
      return Rule(parts: [comparison("inTheRange", field, .array([.integer(low), .integer(high)]))])
    }
    return Rule(
      parts: [
        low.map { comparison("gt", field, .integer($0 - 1)) }, high.map { comparison("lt", field, .integer($0 + 1)) },
      ]
      .compactMap { $0 })
  }

  private static func numbers(_ field: String, _ range: NumberRange, _ isNegated: Bool) -> Rule {
    // Navidrome has only strict comparisons.
    let lower = range.lower.map { lower in
      isNegated
        ? comparison("lt", field, .number(range.includesLower ? lower : lower + 0.001))
        : comparison("gt", field, .number(range.includesLower ? lower - 0.001 : lower))
    }
    let upper = range.upper.map { upper in
      isNegated
        ? comparison("gt", field, .number(range.includesUpper ? upper : upper - 0.001))
        : comparison("lt", field, .number(range.includesUpper ? upper + 0.001 : upper))
    }
    return Rule(isAny: isNegated, parts: [lower, upper].compactMap { $0 })
  }

  private static let nanosecondsOfDay: Int64 = 86_400_000_000_000

  private static func added(_ range: TimeRange, _ isNegated: Bool) throws(NavidromeError) -> Rule {
    func day(_ nanoseconds: Int64) -> JSONValue {
      .string(Date(timeIntervalSince1970: Double(nanoseconds) / 1e9).formatted(.iso8601.year().month().day()))
    }
    var parts: [JSONValue] = []
    switch range.since {
    case .absolute(let time): parts.append(comparison(isNegated ? "before" : "after", "dateadded", day(time)))
    case .ago(let age):
      guard age % nanosecondsOfDay == 0 else {
        throw cannotSay("added: in hours", "Give whole days, such as added:7d.")
      }
      parts.append(comparison(isNegated ? "notInTheLast" : "inTheLast", "dateadded", .integer(age / nanosecondsOfDay)))
    case nil: break
    }
    switch range.until {
    case .absolute(let time): parts.append(comparison(isNegated ? "after" : "before", "dateadded", day(time)))
    case .ago: throw cannotSay("the end of this time", "Give a date.")
    case nil: break
    }
    return Rule(isAny: isNegated, parts: parts)
  }
}
