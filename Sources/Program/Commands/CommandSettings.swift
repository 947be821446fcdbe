import Analysis
internal import AnalysisTasks
import ArgumentParser
import BuiltInAnalyzers
import Foundation
package import Pipeline
import Platform
package import ResultStore
package import SystemPackage
import Text

extension Setting {
  /// The help of the option for this setting: its summary, and the valid values if the summary does not name them.
  func help(_ valueName: String? = nil) -> ArgumentHelp {
    var text = summary.prefix(1).uppercased() + summary.dropFirst()
    if !Value.choices.isEmpty, Value.self != Bool.self, !summary.contains(":") {
      text += ": \(Value.choices.dropLast().joined(separator: ", ")) or \(Value.choices.last ?? "")"
    }
    return ArgumentHelp("\(text)", valueName: valueName)
  }
}

/// The settings of a command: from files and the environment, overridden by the command's options. Loading them also
/// sets the format of messages.
package struct CommandSettings {
  package private(set) var settings: Settings
  private let context: SettingContext

  /// - Parameter warns: `true` to report unknown settings, such as an environment variable with a mistyped name.
  /// - Throws: An error for invalid settings, or for an untrusted project file with settings that require trust.
  init(warns: Bool = true) throws {
    self.init(try Settings.load())
    if let refusal = ProjectTrustText.refusal(settings) { throw CommandFailure(.usage, refusal) }
    if warns { for notice in settings.notices { Log.write(.warning, "setting_ignored", notice) } }
  }

  /// Loads the settings and applies the option for the database.
  package init(_ database: DatabaseArgument) throws {
    try self.init()
    take(database.path, for: Settings.database, option: "--database")
  }

  /// The settings, except those that require a trusted project file; for commands that only show settings.
  static func ignoringUntrustedLines() throws -> CommandSettings { CommandSettings(try Settings.load()) }

  static var folders: StandardFolders { StandardFolders(environment: ProcessInfo.processInfo.environment) }

  private init(_ settings: Settings) {
    self.settings = settings
    context = SettingContext(
      folder: FilePath.currentFolder, home: settings.folders.home)
    Log.use(settings[Settings.logFormat])
  }

  package subscript<Value: SettingValue>(_ setting: Setting<Value>) -> Value { settings[setting] }

  /// Applies the value of an option, if given.
  mutating func take<Value: SettingValue>(_ text: String?, for setting: Setting<Value>, option: String) throws {
    guard let text else { return }
    do {
      guard let value = try setting.value(text, in: context) as? Value else { return }
      settings.set(setting, to: value, by: option)
    } catch let error as ConfigurationError {
      throw CommandFailure(.usage, "\(option) \(error.problem)".sentence)
    }
  }

  mutating func take(_ path: PathArgument?, for setting: Setting<FilePath>, option: String) {
    if let path { settings.set(setting, to: path.path, by: option) }
  }

  mutating func take(_ path: PathArgument, for setting: Setting<FilePath?>, option: String) {
    settings.set(setting, to: path.path, by: option)
  }

  /// Applies a list, given by repeating an option or by separating values with commas.
  mutating func take<Value: SettingValue>(
    _ texts: [String], for setting: Setting<[Value]>, option: String
  ) throws {
    guard !texts.isEmpty else { return }
    try take(texts.joined(separator: ","), for: setting, option: option)
  }

  mutating func take(_ flag: Bool, for setting: Setting<Bool>, option: String) {
    if flag { settings.set(setting, to: true, by: option) }
  }

  mutating func set<Value: SettingValue>(_ setting: Setting<Value>, to value: Value, by option: String) {
    settings.set(setting, to: value, by: option)
  }

  func definition() throws -> PipelineDefinition { try settings.definition() }

  /// The path of the database. Throws if it is the path of a folder, a device or a pipe.
  package func database() throws -> FilePath {
    let path = settings[Settings.database]
    switch path.fileKind {
    case nil, .regular: return path
    case .folder:
      throw CommandFailure(.fatal, "The database \(path.string) is a folder. Name a file with --database.")
    default:
      throw CommandFailure(
        .usage, "\(path.string) is a device or a pipe, not a database. Name a file with --database.")
    }
  }

  func openStoreForReading() throws -> ResultStore { try openStore(.readOnly) }

  /// Opens the database. If it does not exist, the error says how to create it.
  package func openStore(_ access: ResultStore.Access) throws -> ResultStore {
    let path = try database()
    guard path.fileKind != nil else {
      throw CommandFailure(
        .fatal, "There is no database \(path.string). Run `analyze FOLDER` first, or name another file with --database."
      )
    }
    let store = try ResultStore(path: path, findings: BuiltInAnalyzers.findings, access: access)
    if let older = store.olderSchema {
      Terminal.writeLine(
        "The database \(printable(path.string)) was brought up to date (schema \(older) before). Earlier versions of "
          + "analyze can no longer open it.")
    }
    return store
  }
}
