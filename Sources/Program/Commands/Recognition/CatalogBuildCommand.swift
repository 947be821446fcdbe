internal import AnalysisTasks
import ArgumentParser
import Pipeline
import Recognition
import RecognitionTasks
internal import SystemPackage
import Text

struct CatalogBuildCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Update the catalog from the database, and repair it",
    discussion: """
      Adds tracks that were analyzed since the last time, updates changed tags, and removes tracks that have vanished from the \
      library. Changes by catalog remove, add and merge, and edited media items, are kept.

      With --partition, N workers build a catalog in N parts of about equal size, each in a folder of its own.
      """)

  @Argument(help: ArgumentHelp("Add only files below this path (default: all)", valueName: "path"))
  var paths: [PathArgument] = []

  @Option(help: ArgumentHelp("Build part K of N, counted from 0 and split by content id", valueName: "K/N"))
  var partition: String?

  @OptionGroup
  var catalog: CatalogArguments

  @OptionGroup
  var database: DatabaseArgument

  @Flag(name: .shortAndLong, help: "Print the summary even when not on a terminal")
  var verbose = false

  private var part: CatalogPartition? { partition.flatMap { CatalogPartition($0) } }

  func validate() throws {
    if let partition, part == nil {
      throw ValidationError("--partition expects K/N, such as 0/4 for the first of four parts, not '\(partition)'.")
    }
  }

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings(database)
      catalog.apply(to: &settings)
      let store = try settings.openStoreForReading()
      try requireKnown(paths, in: store)
      let terminal = Terminal()
      let synchronization = CatalogSynchronization(
        catalog: settings[Settings.catalog], store: store, roots: paths.map(\.path), partition: part)
      let progress = ProgressBar()
      defer { progress.finish() }
      let outcome = try synchronization.perform { done, all in
        if all > Self.longWork { progress.show(Double(done) / Double(all), "\(done) of \(all) tracks") }
      }
      progress.finish()
      let folder = printable(settings[Settings.catalog].string)
      for line in outcome.repairs(of: folder) { Log.write(.warning, "catalog_repaired", line) }
      for line in outcome.complaints { Log.write(.warning, "track_left_out", line) }
      if terminal.isInteractive || verbose { Terminal.writeLine(outcome.summary(of: folder, part)) }
    }
  }

  /// Maximum number of tracks for which no progress is shown.
  private static let longWork = 4000
}

// Messages about the outcome.
extension CatalogSynchronization.Outcome {
  fileprivate func repairs(of folder: String) -> [String] {
    let again = "\(added) \(added == 1 ? "track was" : "tracks were") added again from the database"
    var lines: [String] = []
    if let repair {
      if !repair.restoredSegments.isEmpty {
        lines.append(
          "Repaired \(folder): the index of \(Self.joined(repair.restoredSegments)) was damaged and was rebuilt.")
      }
      if !repair.lostSegments.isEmpty {
        lines.append(
          "Repaired \(folder): \(Self.joined(repair.lostSegments)) could not be read; \(again). Tracks from "
            + "`analyze catalog add` or `merge` in there must be added again.")
      }
      if repair.hasLostList {
        lines.append(
          "Repaired \(folder): the list of segments, CATALOG, was damaged or missing and was rebuilt; \(again). Tracks "
            + "removed with `analyze catalog remove` may be back.")
      }
    }
    if let repairedList {
      lines.append(
        "Repaired \(folder): \(repairedList), the list of what was built, was damaged and was rebuilt. Tracks removed with "
          + "`analyze catalog remove` may be back.")
    } else if recovered > 0 {
      lines.append(
        "\(folder) had no list of what was built: \(recovered) tracks that match the database now count as built.")
    }
    return lines
  }

  private static func joined(_ names: [String]) -> String { names.sorted().joined(separator: ", ") }

  fileprivate var complaints: [String] {
    guard unsigned > 0 else { return [] }
    let files = "\(counted(unsigned, "file")) \(unsigned == 1 ? "has" : "have")"
    return [
      "\(files) no signature of this version and cannot be recognized: analyze the library again, with the pipeline default."
    ]
  }

  fileprivate func summary(of folder: String, _ part: CatalogPartition?) -> String {
    var parts = ["\(added) added", "\(updated) updated", "\(removed) removed", "\(unchanged) unchanged"]
    if leftAlone > 0 { parts.append("\(leftAlone) left as changed by hand") }
    return "catalog \(folder)\(part.map { ", part \($0)" } ?? ""): \(parts.joined(separator: ", "))"
  }
}
