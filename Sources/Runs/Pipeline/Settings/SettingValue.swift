public import Platform
public import SystemPackage

/// A type for the values of settings. People write a value as one word or line.
public protocol SettingValue: Hashable, Sendable {
  /// A description of the accepted values for error messages, such as "a whole number".
  static var expectation: String { get }
  /// The valid words, if there are only a few.
  static var choices: [String] { get }
  /// The separator between the elements of a list that is written on one line.
  static var listSeparator: Character { get }

  init?(setting text: String, in context: SettingContext)
  /// The value in the form that is used in files.
  var settingText: String { get }
}

extension SettingValue {
  public static var choices: [String] { [] }
  public static var listSeparator: Character { "," }
}

/// The place where a setting was written. It determines what relative paths and `~` mean.
public struct SettingContext: Hashable, Sendable {
  public var folder: FilePath
  public var home: FilePath

  public init(folder: FilePath, home: FilePath) {
    self.folder = folder
    self.home = home
  }

  func path(_ text: String) -> FilePath? {
    guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
    if text == "~" { return home }
    let path = text.hasPrefix("~/") ? home.appending(String(text.dropFirst(2))) : FilePath(text)
    return (path.isAbsolute ? path : folder.pushing(path)).lexicallyNormalized()
  }
}

// MARK: - Words and numbers

extension Bool: SettingValue {
  public static var expectation: String { "true or false" }
  public static var choices: [String] { ["true", "false"] }

  public init?(setting text: String, in context: SettingContext) {
    switch text.lowercased() {
    case "true", "yes", "on", "1": self = true
    case "false", "no", "off", "0": self = false
    default: return nil
    }
  }

  public var settingText: String { self ? "true" : "false" }
}

extension Int: SettingValue {
  public static var expectation: String { "a whole number" }
  public init?(setting text: String, in context: SettingContext) { self.init(text) }
  public var settingText: String { String(self) }
}

extension String: SettingValue {
  public static var expectation: String { "text" }
  public init?(setting text: String, in context: SettingContext) { self = text }
  public var settingText: String { self }
}

extension SettingValue where Self: RawRepresentable<String>, Self: CaseIterable {
  public static var expectation: String { "one of \(choices.joined(separator: ", "))" }
  public static var choices: [String] { allCases.map(\.rawValue) }
  public init?(setting text: String, in context: SettingContext) { self.init(rawValue: text) }
  public var settingText: String { rawValue }
}

extension FilePath: SettingValue {
  public static var expectation: String { "a path" }
  public static var listSeparator: Character { ":" }

  public init?(setting text: String, in context: SettingContext) {
    guard let path = context.path(text) else { return nil }
    self = path
  }

  /// The path in the form that is used in files. Whitespace at the end would be lost on reading, so a slash protects
  /// it.
  public var settingText: String { string.last?.isWhitespace ?? false ? string + "/" : string }
}

extension ServerAddress: SettingValue {
  public static var expectation: String { "an address such as http://host:\(standardPort)" }

  public init?(setting text: String, in context: SettingContext) {
    guard let address = try? ServerAddress(text) else { return nil }
    self = address
  }

  public var settingText: String { description }
}

extension Optional: SettingValue where Wrapped: SettingValue {
  public static var expectation: String { "\(Wrapped.expectation), or none" }
  public static var choices: [String] { Wrapped.choices }

  public init?(setting text: String, in context: SettingContext) {
    if text == "none" {
      self = nil
    } else if let value = Wrapped(setting: text, in: context) {
      self = value
    } else {
      return nil
    }
  }

  public var settingText: String { self?.settingText ?? "none" }
}

extension Array: SettingValue where Element: SettingValue {
  public static var expectation: String { "a list, each \(Element.expectation)" }
  public static var choices: [String] { Element.choices }

  /// Parses a list written on a single line, as in the environment.
  public init?(setting text: String, in context: SettingContext) {
    self = []
    for part in text.split(separator: Element.listSeparator) {
      let part = Self.trimmed(part)
      // Empty elements are ignored, so a trailing separator is allowed.
      if part.isEmpty { continue }
      guard let element = Element(setting: part, in: context) else { return nil }
      append(element)
    }
  }

  public var settingText: String {
    isEmpty ? "none" : map(\.settingText).joined(separator: "\(Element.listSeparator)")
  }

  private static func trimmed(_ part: Substring) -> String {
    var part = part
    while part.first == " " { part.removeFirst() }
    while part.last == " " { part.removeLast() }
    return String(part)
  }
}

// MARK: - Times

extension Duration: SettingValue {
  public static var expectation: String { "a time such as 90, 90s, 15m, 5h or 1h30m" }

  private static let units: [(letter: Character, seconds: Double)] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]

  /// Parses a number of seconds, or numbers with units, such as `90`, `1.5s`, `15m`, `1h30m` or `2d`. The maximum is
  /// 366 days.
  public init?(setting text: String, in context: SettingContext) {
    var seconds = 0.0
    var rest = text[...]
    var isFirst = true
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      guard let number = Double(digits) else { return nil }
      rest = rest.dropFirst(digits.count)
      if let letter = rest.popFirst() {
        guard let unit = Self.units.first(where: { $0.letter == letter }) else { return nil }
        seconds += number * unit.seconds
      } else {
        guard isFirst else { return nil }
        seconds = number
      }
      isFirst = false
    }
    guard !isFirst, seconds <= 366 * 86_400 else { return nil }
    self = .milliseconds(Int64(seconds * 1000))
  }

  public var settingText: String {
    let whole = components.seconds
    let fraction = Double(components.attoseconds) / 1e18
    var text = ""
    var rest = whole
    for (letter, seconds) in Self.units.dropLast() where rest >= Int64(seconds) {
      text += "\(rest / Int64(seconds))\(letter)"
      rest %= Int64(seconds)
    }
    if fraction > 0 { return "\(text)\(Double(rest) + fraction)s" }
    return rest > 0 || text.isEmpty ? "\(text)\(rest)s" : text
  }
}
