import AnalysisTasks
import ArgumentParser
import Foundation
import Landmarks
import Pipeline
import Recognition
internal import RecognitionTasks
import SystemPackage
import Text

struct CatalogInfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show the size of the catalog")

  @Flag(help: "Print one JSON line")
  var json = false

  @Flag(help: "Also read the whole catalog and report damage")
  var check = false

  @OptionGroup
  var catalog: CatalogArguments

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      catalog.apply(to: &settings)
      let catalog = try settings.openCatalog()
      if check { try catalog.verify() }
      let path = settings[Settings.catalog].string
      let info = catalog.information
      let partition = try CatalogPartition(ofCatalog: settings[Settings.catalog])
      if json {
        let value = info.jsonValue(path: settings[Settings.catalog], partition: partition)
        try StandardOutput.write(value.canonicalText + "\n")
      } else {
        try StandardOutput.writeLines(
          [
            printable(path), partition.map { "  part       \($0)" },
            "  tracks     \(info.referenceCount.formatted())",
            "  audio      \(describe(seconds: info.duration))", "  landmarks  \(info.landmarkCount.formatted())",
            "  segments   \(info.segmentCount)", "  size       \(info.sizeBytes.formatted()) bytes",
            "  format     \(CustomCatalog.formatVersion), signatures of version \(Signature.version)",
          ].compactMap { $0 })
      }
    }
  }
}
