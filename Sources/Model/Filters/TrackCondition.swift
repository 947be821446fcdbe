public import Analysis
public import SystemPackage

/// A condition about one track.
public enum TrackCondition: Sendable, Equatable {
  case text(TextField, FilterWords)
  case number(NumberField, NumberRange)
  case key(MusicalKey)
  /// Lower case, such as `flac`.
  case codec(String)
  case isLossless(Bool)
  /// Its tempo was set by a person.
  case isLocked(Bool)
  case status(Status)
  /// The code of why its status is not `ok`.
  case problem(String)
  /// A canonical tag or a finding that the track does not have: see `FilterField.thingsToMiss`.
  case missing(String)
  /// The file, or a folder that it is in at whatever depth.
  case under(FilePath)
  /// When the file was first met.
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
    /// As corrected, or else as found.
    case bpm
    case confidence
    case year
    /// LUFS.
    case integratedLoudness
    /// Seconds.
    case duration
  }
}

/// Words that follow each other.
public struct FilterWords: Sendable, Equatable {
  public var text: String
  /// The last word may go on.
  public var isPrefix: Bool

  public init(_ text: String, isPrefix: Bool = false) {
    self.text = text
    self.isPrefix = isPrefix
  }
}

public struct NumberRange: Sendable, Equatable {
  /// `nil` for open.
  public var lower: Double?
  public var upper: Double?
  /// False only for the range around one value, as neighboring values share their edge.
  public var includesUpper: Bool

  public init(lower: Double?, upper: Double?, includesUpper: Bool = true) {
    self.lower = lower
    self.upper = upper
    self.includesUpper = includesUpper
  }

  public func contains(_ value: Double) -> Bool {
    if let lower, value < lower { return false }
    if let upper, includesUpper ? value > upper : value >= upper { return false }
    return true
  }

  func multiplied(by factor: Double) -> NumberRange {
    NumberRange(lower: lower.map { $0 * factor }, upper: upper.map { $0 * factor }, includesUpper: includesUpper)
  }
}

public struct TimeRange: Sendable, Equatable {
  public enum Point: Sendable, Equatable {
    /// Nanoseconds since 1970, UTC.
    case absolute(Int64)
    /// Nanoseconds before the time at which the filter is used.
    case ago(Int64)

    public func nanoseconds(now: Int64) -> Int64 {
      switch self {
      case .absolute(let time): time
      case .ago(let distance): now - distance
      }
    }
  }

  public var since: Point?
  /// Not included.
  public var until: Point?

  public init(since: Point?, until: Point?) {
    self.since = since
    self.until = until
  }
}
