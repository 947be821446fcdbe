import ArgumentParser
import Foundation
import Pipeline
import Recognition
internal import RecognitionTasks
import Text

struct CatalogListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the tracks of the catalog")

  @Flag(help: "Print a table of media items, for spreadsheets and catalog add --items")
  var csv = false

  @OptionGroup
  var catalog: CatalogArguments

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      catalog.apply(to: &settings)
      let catalog = try settings.openCatalog()
      if csv {
        try StandardOutput.write(MediaItemTable.text(of: catalog))
      } else {
        try catalog.forEachEntry { entry in
          let length = trackTime(entry.duration)
          for item in entry.items.isEmpty ? [MediaItem()] : entry.items {
            try StandardOutput.write(
              "\(entry.identifier)  \(length)  \(printable(item.trackName(orReference: entry.identifier)))\n")
          }
        }
      }
    }
  }
}

/// Formats a time in the form `0:03:25`.
func trackTime(_ seconds: Double) -> String {
  let whole = Int(max(0, seconds).rounded())
  return String(format: "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60)
}
