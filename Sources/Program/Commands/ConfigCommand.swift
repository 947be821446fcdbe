internal import AnalysisTasks
import ArgumentParser
import Foundation
import Pipeline
import Platform
import SystemPackage
import Text

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Show the settings; trust the files of projects",
    subcommands: [ShowSettings.self, TrustProject.self, UntrustProject.self], defaultSubcommand: ShowSettings.self)

  struct ShowSettings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "List all settings with their values")

    @Flag(help: "Show the origin of each value, and which lines are ignored")
    var origin = false

    func run() async throws {
      try await reportingErrors {
        let settings = try CommandSettings.ignoringUntrustedLines().settings
        let rows = settings.rows
        let keyWidth = rows.map(\.key.count).max() ?? 0
        let valueWidth = rows.map(\.value.count).max() ?? 0
        let lines = rows.map { row in
          let key = row.key.padding(toLength: keyWidth, withPad: " ", startingAt: 0)
          let value = row.value.padding(toLength: valueWidth, withPad: " ", startingAt: 0)
          let ignored = row.withheld.map { "; \($0) is ignored, it is not trusted" } ?? ""
          return "\(key)  \(value)  " + (origin ? "\(row.origin)\(ignored)" : row.summary)
        }
        try StandardOutput.writeLines(lines.map { printable($0) })
        if let refusal = ProjectTrustText.refusal(settings) { Log.write(.warning, "untrusted_project", refusal) }
      }
    }
  }

  struct TrustProject: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "trust", abstract: "Trust a project's file as it is now",
      discussion: """
        A file \(ProjectFile.name.string) may have come with a download. Until it is trusted, it cannot set anything that runs \
        programs, names a file to write or removes a protection, and commands refuse to work in its folder. When the file, \
        or the pipeline it names, changes, it must be trusted again.
        """)

    @OptionGroup
    var project: ProjectArgument

    func run() async throws {
      try await reportingErrors {
        let file = try project.file()
        do {
          try TrustedProjects(CommandSettings.folders).trust(file)
        } catch {
          throw CommandFailure(.fatal, "\(file.path.string) cannot be recorded as trusted: \(error).")
        }
        Terminal.writeLine("Trusted as it is now: \(printable(file.path.string))")
        for line in file.lines where line.needsTrust {
          Terminal.writeLine("  \(line.key): \(printable(line.value))")
        }
        for command in file.programs { Terminal.writeLine("  runs \(printable(shellText(command)))") }
      }
    }
  }

  struct UntrustProject: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "untrust", abstract: "Stop trusting a project's file")

    @OptionGroup
    var project: ProjectArgument

    func run() async throws {
      try await reportingErrors {
        let path = project.path
        guard try TrustedProjects(CommandSettings.folders).untrust(path) else {
          throw CommandFailure(.fatal, "\(printable(path.string)) was not trusted.")
        }
      }
    }
  }
}

/// A project file on the command line.
struct ProjectArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("A file \(ProjectFile.name.string), or the folder it is in", valueName: "file"))
  var place: PathArgument

  var path: FilePath {
    place.path.lastComponent == ProjectFile.name ? place.path : place.path.appending(ProjectFile.name)
  }

  func file() throws -> ProjectFile {
    guard path.fileKind != nil else {
      throw CommandFailure(
        .fatal,
        "There is no file \(printable(path.string)). Only files named \(ProjectFile.name.string) are read.")
    }
    return try ProjectFile(at: path, CommandSettings.folders)
  }
}

/// The message about an untrusted project file.
enum ProjectTrustText {
  /// The message; `nil` if there is no project file, or if it is trusted or sets nothing that requires trust.
  static func refusal(_ settings: Settings) -> String? {
    guard let project = settings.project, !settings.withheld.isEmpty else { return nil }
    let path = project.path.string
    let lines = project.lines.filter { settings.withheld[$0.key] != nil }.map { line in
      let place = line.number.map { " (line \($0))" } ?? ""
      return line.key + place + (line.key == Settings.pipeline.key ? ", which runs programs" : "")
    }
    let reason =
      settings.projectHasChanged
      ? "has changed since you trusted it, or the pipeline it names has" : "is not trusted"
    return printable(
      "\(path) \(reason). It sets \(lines.joined(separator: ", ")). Read it; if it is fine, run: "
        + "analyze config trust \(shellText([path])). Otherwise delete these lines, or work in another folder.")
  }
}

private func shellText(_ words: [String]) -> String {
  words.map { word in
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        byte >= 0x80 || isalnum(Int32(byte)) != 0 || "-_./=:,@%+{}".utf8.contains(byte)
      }
    return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }.joined(separator: " ")
}
