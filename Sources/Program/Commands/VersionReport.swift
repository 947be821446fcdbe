import Analysis
import AudioDecoding
import BuiltInAnalyzers
import Records
import Reporting
import Text

/// The versions of everything that can affect a result, as JSON for external programs: `--version --json`.
enum VersionReport {
  static var json: String {
    let analyzers = BuiltInAnalyzers.all.map { ($0.id, JSONValue.integer(Int64($0.version))) }
    let value = JSONValue.object([
      "version": .string(Nocturne.version),
      "report_version": .integer(Int64(ReportWriter.schemaVersion)),
      "decoder_version": .integer(Int64(AudioSource.version)),
      "analyzers": .object(Dictionary(analyzers) { first, _ in first }),
      "libraries": .array(DecodingLibraries.versions.map { .string($0) }),
    ])
    return value.canonicalText
  }
}
