internal import Analysis
internal import SystemPackage
internal import Text

/// A field of a filter: the word before the operator, as in `bpm:120..128` or `bpm>120`. Most fields also have a
/// command-line option of the same name.
public enum FilterField: String, Sendable, CaseIterable {
  case artist, title, album, albumartist, genre, path, under
  case bpm, confidence, year, lufs, duration
  case key, codec, lossless, locked, status, problem, health, origin, missing, added

  /// - Parameter name: The field's own name, or the name of the corresponding column in the CSV report.
  init?(name: String) {
    let name = name.lowercased()
    guard let field = Self(rawValue: name) ?? Self.allCases.first(where: { $0.reported == name }) else { return nil }
    self = field
  }

  /// The name of the corresponding column in the CSV report, if that is a number or flag of a finding.
  public var reported: String? {
    switch self {
    case .bpm: "tempo_bpm"
    case .confidence: "tempo_confidence"
    case .locked: "tempo_locked"
    case .lufs: "loudness_integrated_lufs"
    default: nil
    }
  }

  /// `true` if a comma in the value of an option is part of the text instead of separating values.
  var allowsCommas: Bool {
    switch self {
    case .artist, .title, .album, .albumartist, .genre, .path, .under: true
    default: false
    }
  }

  public var example: String {
    switch self {
    case .artist: "artist:queen"
    case .title: #"title:"under pressure""#
    case .album: "album:live*"
    case .albumartist: "albumartist:various"
    case .genre: "genre:trance"
    case .path: "path:demos"
    case .under: "under:/music/new"
    case .bpm: "bpm:120..128"
    case .confidence: "confidence:..0.5"
    case .year: "year:1990..1999"
    case .lufs: "lufs:-14..-9"
    case .duration: "duration:3:00..5:00"
    case .key: "key:8A~"
    case .codec: "codec:flac"
    case .lossless: "lossless:yes"
    case .locked: "locked:yes"
    case .status: "status:partial"
    case .problem: "problem:changed_silently"
    case .health: "health:clipped"
    case .origin: "origin:lossy"
    case .missing: "missing:key"
    case .added: "added:7d"
    }
  }

  /// An example of a comparison by order; `nil` if the field has no order.
  var orderExample: String? {
    switch self {
    case .bpm: "bpm>120"
    case .confidence: "confidence<0.5"
    case .year: "year<2000"
    case .lufs: "lufs>=-14"
    case .duration: "duration<5:00"
    case .added: "added>=2026-11-01"
    default: nil
    }
  }

  /// The expected form of a value, for messages.
  public var expects: String {
    switch self {
    case .artist, .title, .album, .albumartist, .genre, .path: "a word, or several in quotation marks"
    case .under: "a file or folder"
    case .bpm: "a tempo such as 128, 120..128 or 120.. (with ~ after it, half and double count as well)"
    case .confidence: "a number or range from 0 to 1, such as 0.8.. or ..0.5"
    case .year: "a year or range of years, such as 1994, 1990..1999 or ..1979"
    case .lufs: "a loudness or range in LUFS, such as -14..-9"
    case .duration: "a length or range such as 3:00..5:00, 90s or 1:00:00.."
    case .key: "a key such as 8A, Am or C#m (with ~ after it, compatible keys count as well)"
    case .codec: "a codec such as flac, mp3 or aac"
    case .lossless, .locked: "yes or no"
    case .status: "one of \(TrackCondition.Status.allCases.map(\.rawValue).joined(separator: ", "))"
    case .problem: "the code of a problem, such as truncated or changed_silently"
    case .health: "one of \(HealthFilterWords.faults.joined(separator: ", "))"
    case .origin: "one of \(HealthFilterWords.origins.joined(separator: ", "))"
    case .missing: "a tag such as isrc, or a finding such as key"
    case .added: "a date such as 2026-11-01, a range of dates, or an age such as 7d, 12h or 4w"
    }
  }

  func expression(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    switch self {
    case .artist: try .condition(.text(.artist, words(value)))
    case .title: try .condition(.text(.title, words(value)))
    case .album: try .condition(.text(.album, words(value)))
    case .albumartist: try .condition(.text(.albumArtist, words(value)))
    case .genre: try .condition(.text(.genre, words(value)))
    case .path: try .condition(.text(.path, words(value)))
    case .under: try under(value)
    case .bpm: try tempo(value)
    case .confidence: try .condition(.number(.confidence, value.range(expecting: expects, FilterNumber.decimal)))
    case .year: try year(value)
    case .lufs: try .condition(.number(.integratedLoudness, value.range(expecting: expects, FilterNumber.decimal)))
    case .duration: try .condition(.number(.duration, value.range(expecting: expects, FilterNumber.duration)))
    case .key: try key(value)
    case .codec: .condition(.codec(value.text.lowercased()))
    case .lossless: try .condition(.isLossless(value.flag(expecting: expects)))
    case .locked: try .condition(.isLocked(value.flag(expecting: expects)))
    case .status: try .condition(.status(status(value)))
    case .problem: .condition(.problem(value.text.lowercased()))
    case .health: try HealthFilterWords.fault(value)
    case .origin: try HealthFilterWords.origin(value)
    case .missing: try .condition(.missing(missing(value)))
    case .added: try .condition(.added(times(value)))
    }
  }

  /// Returns the expression for words without a field.
  static func anyName(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    try .condition(.text(.anyName, words(value, expecting: "a word")))
  }

  // MARK: Texts

  private func words(_ value: FilterValue) throws(FilterSyntaxError) -> FilterWords {
    try Self.words(value, expecting: expects)
  }

  private static func words(_ value: FilterValue, expecting expected: String) throws(FilterSyntaxError) -> FilterWords {
    let (text, isPrefix) = value.withoutStar
    guard text.contains(where: { !$0.isWhitespace }) else { throw value.error(expecting: expected) }
    return FilterWords(text, isPrefix: isPrefix)
  }

  private func under(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    guard value.text.hasPrefix("/") else {
      throw value.error("an absolute path is expected, such as /music/new")
    }
    return .condition(.under(FilePath(value.text).lexicallyNormalized()))
  }

  // MARK: Numbers

  private func tempo(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    let (plain, isWide) = value.withoutTilde
    let range = try plain.range(expecting: expects, FilterNumber.decimal)
    let ranges = isWide ? [range, range.multiplied(by: 0.5), range.multiplied(by: 2)] : [range]
    let parts = ranges.map { TrackFilter.Expression.condition(.number(.bpm, $0)) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private func year(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    .condition(
      .number(
        .year,
        try value.range(expecting: expects) { text in
          FilterNumber.decimal(text).flatMap { $0.step == 1 && (0...9999).contains($0.value) ? $0 : nil }
        }))
  }

  // MARK: Others

  private func key(_ value: FilterValue) throws(FilterSyntaxError) -> TrackFilter.Expression {
    let (plain, isWide) = value.withoutTilde
    guard let key = MusicalKey(plain.text) else { throw value.error(expecting: expects) }
    if !isWide { return .condition(.key(key)) }
    return .any(key.compatible.map { .condition(.key($0)) })
  }

  private func status(_ value: FilterValue) throws(FilterSyntaxError) -> TrackCondition.Status {
    guard let status = TrackCondition.Status(rawValue: value.text.lowercased()) else {
      throw value.error(expecting: expects)
    }
    return status
  }

  /// The names of findings and tags for `missing`. A name that a finding and a tag share means the finding.
  public static let missingChoices: [String] = findings + TagField.all.map(\.name).filter { !findings.contains($0) }

  public static let findings = [
    "bpm", "beats", "key", "loudness", "year", "fingerprint", "signature", "waveform", "cues", "sections", "traits",
    "likeness", "lyrics", "chapters",
  ]

  private func missing(_ value: FilterValue) throws(FilterSyntaxError) -> String {
    let name = value.text.lowercased()
    if Self.missingChoices.contains(name) { return name }
    let nearest = Suggestion.nearest(to: name, in: Self.missingChoices)
    throw value.error(
      "there is no tag or finding of this name; "
        + (nearest.map { "did you mean '\($0)'?" } ?? "the names of tags are those of `analyze schema`"))
  }

  // MARK: Times

  private func times(_ value: FilterValue) throws(FilterSyntaxError) -> TimeRange {
    if let order = value.order {
      // Ages are rejected here, because a greater age means an earlier date.
      guard let day = Self.day(value.text) else { throw value.orderError(order) }
      return TimeRange(order.comparison, from: day, to: day + Self.nanosecondsOfDay)
    }
    if let age = Self.age(value.text) { return TimeRange(since: .ago(age), until: nil) }
    guard let dots = value.text.firstRange(of: "..") else {
      guard let day = Self.day(value.text) else { throw value.error(expecting: expects) }
      return TimeRange(since: .absolute(day), until: .absolute(day + Self.nanosecondsOfDay))
    }
    let (lower, upper) = (String(value.text[..<dots.lowerBound]), String(value.text[dots.upperBound...]))
    let since = Self.day(lower).map { TimeRange.Point.absolute($0) } ?? Self.age(lower).map { .ago($0) }
    // The range includes the whole of its last day.
    let until =
      Self.day(upper).map { TimeRange.Point.absolute($0 + Self.nanosecondsOfDay) } ?? Self.age(upper).map { .ago($0) }
    guard lower.isEmpty == (since == nil), upper.isEmpty == (until == nil), !(lower.isEmpty && upper.isEmpty) else {
      throw value.error(expecting: expects)
    }
    return TimeRange(since: since, until: until)
  }

  private static let nanosecondsOfDay: Int64 = 86_400_000_000_000

  /// Parses an age such as `7d` into nanoseconds.
  private static func age(_ text: String) -> Int64? {
    let hours: [Character: Int64] = ["h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24]
    guard let unit = text.last.flatMap({ hours[$0] }), let count = Int64(text.dropLast()), (0...10_000).contains(count)
    else { return nil }
    // Clamps the age to the range of timestamps.
    return min(count * unit, 2_000_000) * 3_600_000_000_000
  }

  /// Parses a date from 1970 to 2200 into the start of that day in UTC, in nanoseconds since 1970.
  private static func day(_ text: String) -> Int64? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
      let year = Int64(parts[0]), let month = Int64(parts[1]), let day = Int64(parts[2]), (1970...2200).contains(year),
      (1...12).contains(month)
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...lengths[Int(month) - 1]).contains(day) else { return nil }
    let years = year - 1970
    // Counts the leap days from 1970 to the year before `year`.
    let before = year - 1
    let leaps = before / 4 - before / 100 + before / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400)
    let days = years * 365 + leaps + lengths.prefix(Int(month) - 1).reduce(0, +) + day - 1
    return days * nanosecondsOfDay
  }
}
