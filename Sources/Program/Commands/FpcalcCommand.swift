import ArgumentParser
import AudioDecoding
import Foundation
import Fpcalc
import Pipeline
import Platform
import Records
import SystemPackage

/// Declares the command for help and completions. `EntryPoint` runs the command without this parser, because the
/// options of `fpcalc` start with a single hyphen.
struct FpcalcCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Fpcalc.name, abstract: "Fingerprint files for AcoustID like Chromaprint's fpcalc",
    usage: "analyze fpcalc [<options>] <file> ...",
    discussion: """
      Also under the name fpcalc. Its options, with one hyphen each, are those of Chromaprint's program: see \
      `analyze fpcalc -help` and man fpcalc. Fingerprints of known files come from the database.
      """)

  @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Options of fpcalc, and files", valueName: "file"))
  var arguments: [String] = []

  /// The arguments after `fpcalc` or `analyze fpcalc`; `nil` if another command is meant.
  static var givenArguments: [[UInt8]]? {
    let all = ProcessArguments.all
    guard let program = all.first else { return nil }
    if Fpcalc.isInvoked(as: program) { return Array(all.dropFirst()) }
    return all.dropFirst().first.map { $0.elementsEqual(Fpcalc.name.utf8) } == true ? Array(all.dropFirst(2)) : nil
  }

  static func run(_ arguments: [[UInt8]]) -> Int32 {
    let version = (["Nocturne \(Nocturne.version)"] + DecodingLibraries.versions.filter { $0.hasPrefix("FFmpeg") })
      .joined(separator: ", ")
    return Fpcalc.run(arguments, programVersion: version, database: database)
  }

  /// The database named by `$NOCTURNE_DATABASE`, for programs that know only `fpcalc` (`nil` if the variable is empty);
  /// otherwise the database of `analyze`.
  private static func database() -> FilePath? {
    if let path = ProcessInfo.processInfo.environment["NOCTURNE_DATABASE"] {
      return path.isEmpty ? nil : FilePath(path)
    }
    return (try? Settings.load())?[Settings.database]
  }
}
