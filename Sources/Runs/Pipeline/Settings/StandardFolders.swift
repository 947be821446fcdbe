internal import Foundation
public import SystemPackage

/// The folders for this program's files (XDG Base Directory Specification 0.8).
public struct StandardFolders: Hashable, Sendable {
  public var home: FilePath
  /// `$XDG_CONFIG_HOME/nocturne`: the user's settings and pipelines.
  public var configuration: FilePath
  /// `$XDG_DATA_HOME/nocturne`: the database, the catalog and reports.
  public var data: FilePath
  /// `$XDG_STATE_HOME/nocturne`: the list of trusted project files.
  public var state: FilePath
  /// `/etc/nocturne`: the machine's settings.
  public var system: FilePath

  public init(environment: [String: String], system: FilePath = "/etc/nocturne") {
    let home = FilePath(environment["HOME"] ?? NSHomeDirectory())
    func folder(_ variable: String, _ standard: String) -> FilePath {
      let given = FilePath(environment[variable] ?? "")
      // According to the specification, paths that are not absolute must be ignored.
      return (given.isAbsolute ? given : home.appending(standard)).appending("nocturne")
    }
    self.home = home
    configuration = folder("XDG_CONFIG_HOME", ".config")
    data = folder("XDG_DATA_HOME", ".local/share")
    state = folder("XDG_STATE_HOME", ".local/state")
    self.system = system
  }

  /// The default path of the results database.
  public var database: FilePath { data.appending("library.sqlite") }

  /// The folder of the user's pipeline definitions.
  public var pipelines: FilePath { configuration.appending("pipelines") }
}
