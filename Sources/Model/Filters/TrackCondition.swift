public import Analysis
public import SystemPackage

public enum TrackCondition: Sendable, Equatable {
  case text(TextField, FilterWords)
  case number(NumberField, NumberRange)
  case key(MusicalKey)
  /// The codec in lower case, such as `flac`.
  case codec(String)
  case isLossless(Bool)
  /// `true` if a person has set the tempo.
  case isLocked(Bool)
  case status(Status)
  /// The code of the problem that explains a status other than `ok`.
  case problem(String)
  /// A canonical tag or a finding that the track lacks; see `FilterField.missingChoices`.
  case missing(String)
  /// The path of the file, or of a folder that contains it at any depth.
  case under(FilePath)
  /// The time at which the file was first seen.
  case added(TimeRange)
  case finding(FindingColumn, FindingTest)

  public enum Status: String, Sendable, CaseIterable {
    case ok, partial, failed
  }

  public enum TextField: Sendable, Equatable {
    /// Any of the fields artist, title, album, album artist and genre.
    case anyName
    case artist, title, album, albumArtist, genre
    case path
  }

  public enum NumberField: Sendable, Equatable, CaseIterable {
    /// The corrected tempo if there is one, otherwise the detected one.
    case bpm
    case confidence
    case year
    /// The loudness in LUFS.
    case integratedLoudness
    /// The duration in seconds.
    case duration
  }
}

/// A sequence of consecutive words.
public struct FilterWords: Sendable, Equatable {
  public var text: String
  /// `true` if the last word may be the beginning of a longer one.
  public var isPrefix: Bool

  public init(_ text: String, isPrefix: Bool = false) {
    self.text = text
    self.isPrefix = isPrefix
  }
}

public struct NumberRange: Sendable, Equatable {
  /// The lower bound; `nil` if there is none.
  public var lower: Double?
  public var upper: Double?
  /// `false` only for `>`.
  public var includesLower: Bool
  /// `false` for `<`, and for the range around a single value, because neighboring values share an edge.
  public var includesUpper: Bool

  public init(lower: Double?, upper: Double?, includesLower: Bool = true, includesUpper: Bool = true) {
    self.lower = lower
    self.upper = upper
    self.includesLower = includesLower
    self.includesUpper = includesUpper
  }

  /// - Parameter comparison: A comparison by order.
  init(_ comparison: FilterComparison, _ value: Double) {
    switch comparison {
    case .greater: self.init(lower: value, upper: nil, includesLower: false)
    case .greaterOrEqual: self.init(lower: value, upper: nil)
    case .less: self.init(lower: nil, upper: value, includesUpper: false)
    case .lessOrEqual: self.init(lower: nil, upper: value)
    case .equal, .notEqual: self.init(lower: value, upper: value)
    }
  }

  public func contains(_ value: Double) -> Bool {
    if let lower, includesLower ? value < lower : value <= lower { return false }
    if let upper, includesUpper ? value > upper : value >= upper { return false }
    return true
  }

  func multiplied(by factor: Double) -> NumberRange {
    var range = self
    range.lower = lower.map { $0 * factor }
    range.upper = upper.map { $0 * factor }
    return range
  }
}

public struct TimeRange: Sendable, Equatable {
  public enum Point: Sendable, Equatable {
    /// A time in nanoseconds since 1970, UTC.
    case absolute(Int64)
    /// A number of nanoseconds before the time when the filter is evaluated.
    case ago(Int64)

    public func nanoseconds(now: Int64) -> Int64 {
      switch self {
      case .absolute(let time): time
      case .ago(let distance): now - distance
      }
    }
  }

  public var since: Point?
  /// The end of the range, exclusive.
  public var until: Point?

  public init(since: Point?, until: Point?) {
    self.since = since
    self.until = until
  }

  /// - Parameters:
  ///   - comparison: A comparison by order.
  ///   - start: Start of the day in the comparison, in nanoseconds since 1970.
  ///   - end: End of that day.
  init(_ comparison: FilterComparison, from start: Int64, to end: Int64) {
    switch comparison {
    case .greater: self.init(since: .absolute(end), until: nil)
    case .greaterOrEqual: self.init(since: .absolute(start), until: nil)
    case .less: self.init(since: nil, until: .absolute(start))
    case .lessOrEqual: self.init(since: nil, until: .absolute(end))
    case .equal, .notEqual: self.init(since: .absolute(start), until: .absolute(end))
    }
  }
}
