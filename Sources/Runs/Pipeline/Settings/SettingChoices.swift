public import Analysis
public import Records
internal import SystemPackage

/// The way in which progress is displayed: `--progress`.
public enum ProgressStyle: String, SettingValue, CaseIterable {
  /// A bar if standard error is a terminal, otherwise nothing.
  case auto
  case bar
  /// One line every ten seconds.
  case plain
  /// One JSON object per line, every second.
  case json
  case none
}

/// The format of messages on standard error: `--log-format`.
public enum LogFormat: String, SettingValue, CaseIterable {
  /// `journald` if standard error is connected to the systemd journal, otherwise `text`.
  case auto
  case text
  /// One JSON object per line.
  case json
  /// Lines that start with the level, such as `<4>`, which the journal removes: sd-daemon(3).
  case journald
}

/// The process that analyzes files: `--isolation`.
public enum IsolationChoice: String, SettingValue, CaseIterable {
  /// Worker processes. A file that makes a worker crash, hang or exhaust memory affects no other file.
  case process
  /// The process of the run, for debugging.
  case none
}

/// The condition under which failed or damaged files make the exit status 3: `--fail-on`.
public enum FailurePolicy: SettingValue {
  case never
  /// At least one failed or damaged file was not known as such before.
  case new
  case any
  /// More than this percentage, from 0 to 100, of all files found has failed or is damaged.
  case percent(Double)

  public static var expectation: String { "never, new, any or a percentage such as 5%" }
  public static var choices: [String] { ["never", "new", "any"] }

  public init?(setting text: String, in context: SettingContext) {
    switch text {
    case "never": self = .never
    case "new": self = .new
    case "any": self = .any
    default:
      guard text.hasSuffix("%"), let share = Double(text.dropLast()), (0...100).contains(share) else { return nil }
      self = .percent(share)
    }
  }

  public var settingText: String {
    switch self {
    case .never: "never"
    case .new: "new"
    case .any: "any"
    case .percent(let share): "\(share.formatted)%"
    }
  }
}

/// A share of the library's size in bytes: `--share` and the setting `verify`.
public struct LibraryShare: SettingValue {
  public static var expectation: String { "a percentage such as 2%" }

  /// The share as a fraction from 0 to 1.
  public let fraction: Double
  public let settingText: String

  public init?(setting text: String, in context: SettingContext) {
    guard text.hasSuffix("%"), let share = Double(text.dropLast()), share > 0, share <= 100 else { return nil }
    fraction = share / 100
    settingText = text
  }
}

/// The values of `--checksum`.
extension FileChecksum.Kind: SettingValue {}

/// The values of `--report`.
extension ReportFormat: SettingValue {}

/// Content that reports leave out by default: `--include`.
public enum ReportExtra: String, SettingValue, CaseIterable {
  /// Beats, downbeats, and onset strength over time.
  case beats
  case lyrics
  case chapters
  /// The points of the waveform and the onset envelope.
  case waveform
  /// The sound descriptors of tracks.
  case descriptor
  /// Vanished files.
  case vanished
}

/// A reference to a pipeline definition; see `NamedPipelines.definition(_:)`.
public struct PipelineReference: SettingValue {
  public static var expectation: String { "the name of a pipeline or the path of a definition" }
  public var text: String

  public init(_ text: String) {
    self.text = text
  }

  public init?(setting text: String, in context: SettingContext) {
    guard !text.isEmpty else { return nil }
    self.text = text
    if isPath, let path = context.path(text) { self.text = path.string }
  }

  /// `true` for a path; `false` for a name.
  var isPath: Bool { text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml") }

  public var settingText: String { text }
}

extension Double {
  /// The number in decimal notation. Whole numbers have no `.0`.
  fileprivate var formatted: String {
    self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : String(self)
  }
}
