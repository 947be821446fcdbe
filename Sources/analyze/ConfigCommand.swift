import ArgumentParser
import Foundation
import Pipeline

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Shows the settings.", subcommands: [ShowSettings.self],
    defaultSubcommand: ShowSettings.self)

  struct ShowSettings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Lists all settings with their values.")

    @Flag(help: "Say where each value comes from.")
    var origin = false

    func run() async throws {
      try await reportingErrors {
        let rows = try CommandSettings().settings.rows
        let keyWidth = rows.map(\.key.count).max() ?? 0
        let valueWidth = rows.map(\.value.count).max() ?? 0
        let lines = rows.map { row in
          let key = row.key.padding(toLength: keyWidth, withPad: " ", startingAt: 0)
          let value = row.value.padding(toLength: valueWidth, withPad: " ", startingAt: 0)
          return "\(key)  \(value)  \(origin ? "\(row.origin)" : row.summary)"
        }
        try StandardOutput.writeLines(lines)
      }
    }
  }
}
