internal import Analysis
internal import Text

/// A setting, declared in one place: its key in files and in the environment, and its type, default and meaning.
public struct Setting<Value: SettingValue>: Sendable {
  /// The key in files. The environment variable is `ANALYZE_` plus the key in upper case.
  public let key: String
  /// A single line of text, for tables of settings and the help for options.
  public let summary: String
  let trust: ProjectTrust<Value>
  let standard: @Sendable (StandardFolders) -> Value
  /// Returns the problem with a parsed value; `nil` if there is none.
  let objection: @Sendable (Value) -> String?

  init(
    _ key: String, trust: ProjectTrust<Value>, default standard: @autoclosure @escaping @Sendable () -> Value,
    _ summary: String, objection: @escaping @Sendable (Value) -> String? = { _ in nil }
  ) {
    self.init(key, trust: trust, summary, objection: objection) { _ in standard() }
  }

  init(
    _ key: String, trust: ProjectTrust<Value>, _ summary: String,
    objection: @escaping @Sendable (Value) -> String? = { _ in nil },
    default standard: @escaping @Sendable (StandardFolders) -> Value
  ) {
    self.key = key
    self.trust = trust
    self.summary = summary
    self.standard = standard
    self.objection = objection
  }
}

/// Trust that a project file needs to set a value; the file may have come with a download.
public enum ProjectTrust<Value: SettingValue>: Sendable {
  /// At worst, a run takes longer, or finds or reports less.
  case notNeeded
  /// The setting names a server or an output file, removes a protection, or changes an exit status on which other
  /// programs rely.
  case needed
  /// Trust is needed for some values, given by a description and a test.
  case neededFor(String, @Sendable (Value, ProjectFile) -> Bool)
}

/// A setting with any type of value, for the table of all settings.
public protocol AnySetting: Sendable {
  var key: String { get }
  var summary: String { get }
  /// A description of the accepted values.
  var expectation: String { get }
  /// The values that need trust in a project file: "no", "yes" or a description.
  var trustText: String { get }

  func needsTrust(_ value: any SettingValue, in project: ProjectFile) -> Bool
  func defaultValue(_ folders: StandardFolders) -> any SettingValue
  /// - Throws: `ConfigurationError`, without a key.
  func value(_ text: String, in context: SettingContext) throws -> any SettingValue
  /// - Throws: `DefinitionError`.
  func value(_ node: SettingNode, in context: SettingContext) throws -> any SettingValue
}

/// The value that a file sets for a key, independent of the file's syntax.
public struct SettingNode {
  let node: YAMLText.Node
}

extension AnySetting {
  public var environmentName: String { "ANALYZE_" + key.uppercased() }
}

extension Setting: AnySetting {
  public var expectation: String { Value.expectation }

  public var trustText: String {
    switch trust {
    case .notNeeded: "no"
    case .needed: "yes"
    case .neededFor(let which, _): which
    }
  }

  public func needsTrust(_ value: any SettingValue, in project: ProjectFile) -> Bool {
    switch trust {
    case .notNeeded: false
    case .needed: true
    case .neededFor(_, let test): (value as? Value).map { test($0, project) } ?? true
    }
  }

  public func defaultValue(_ folders: StandardFolders) -> any SettingValue { standard(folders) }

  public func value(_ text: String, in context: SettingContext) throws -> any SettingValue {
    guard let value = Value(setting: text, in: context) else { throw refusal(of: "'\(text)'") }
    return try checked(value)
  }

  public func value(_ given: SettingNode, in context: SettingContext) throws -> any SettingValue {
    let node = given.node
    switch node.content {
    case .scalar(.null): throw refusal(of: "nothing")
    case .scalar: return try value(node.text ?? "", in: context)
    case .mapping: throw refusal(of: "a mapping")
    case .list(let nodes):
      guard let list = Value.self as? any ListOfSettings.Type else { throw refusal(of: "a list") }
      let texts = nodes.map { node in if case .scalar = node.content { node.text } else { nil as String? } }
      guard let value = list.init(texts: texts, in: context) as? Value else {
        let wrong = texts.first { $0.map { list.init(texts: [$0], in: context) == nil } ?? true }
        throw refusal(of: wrong.flatMap { $0 }.map { "'\($0)'" } ?? "a list in a list")
      }
      return try checked(value)
    }
  }

  private func checked(_ value: Value) throws -> Value {
    if let problem = objection(value) { throw ConfigurationError(key: "", problem: problem) }
    return value
  }

  private func refusal(of given: String) -> ConfigurationError {
    let word = given.hasPrefix("'") ? String(given.dropFirst().dropLast()) : ""
    let hint = Suggestion.nearest(to: word, in: Value.choices).map { "; did you mean '\($0)'?" } ?? ""
    return ConfigurationError(key: "", problem: "expects \(Value.expectation), not \(given)\(hint)")
  }
}

/// A list whose elements are written separately in a file.
private protocol ListOfSettings {
  init?(texts: [String?], in context: SettingContext)
}

extension Array: ListOfSettings where Element: SettingValue {
  init?(texts: [String?], in context: SettingContext) {
    self = []
    for text in texts {
      guard let text, let element = Element(setting: text, in: context) else { return nil }
      append(element)
    }
  }
}
