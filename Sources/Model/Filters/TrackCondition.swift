public import Analysis
public import SystemPackage

/// A condition on one track.
public enum TrackCondition: Sendable, Equatable {
  case text(TextField, FilterWords)
  case number(NumberField, NumberRange)
  case key(MusicalKey)
  /// Lower case, such as `flac`.
  case codec(String)
  case isLossless(Bool)
  /// The tempo was set by a person.
  case isLocked(Bool)
  case status(Status)
  /// The code of the problem that explains a status other than `ok`.
  case problem(String)
  /// A canonical tag or a finding that the track lacks; see `FilterField.missingChoices`.
  case missing(String)
  /// The file itself, or a file at any depth below the folder.
  case under(FilePath)
  /// Time when the file was first seen.
  case added(TimeRange)
  case finding(FindingColumn, FindingTest)

  public enum Status: String, Sendable, CaseIterable {
    case ok, partial, failed
  }

  public enum TextField: Sendable, Equatable {
    /// Any of artist, title, album, album artist and genre.
    case anyName
    case artist, title, album, albumArtist, genre
    case path
  }

  public enum NumberField: Sendable, Equatable, CaseIterable {
    /// The corrected tempo, or else the one found.
    case bpm
    case confidence
    case year
    /// LUFS.
    case integratedLoudness
    /// Seconds.
    case duration
  }
}

/// Consecutive words.
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
  /// `nil` for an open end.
  public var lower: Double?
  public var upper: Double?
  /// `false` only for `>`.
  public var includesLower: Bool
  /// `false` for `<`, and for the range around a single value, since neighboring values share an edge.
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
    /// Nanoseconds since 1970, UTC.
    case absolute(Int64)
    /// Nanoseconds before the time at which the filter is evaluated.
    case ago(Int64)

    public func nanoseconds(now: Int64) -> Int64 {
      switch self {
      case .absolute(let time): time
      case .ago(let distance): now - distance
      }
    }
  }

  public var since: Point?
  /// Exclusive.
  public var until: Point?

  public init(since: Point?, until: Point?) {
    self.since = since
    self.until = until
  }

  /// - Parameters:
  ///   - comparison: A comparison by order.
  ///   - start: Start of the day that is compared with, in nanoseconds since 1970.
  ///   - end: Its end.
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
