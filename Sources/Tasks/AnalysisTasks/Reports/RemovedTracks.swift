internal import Analysis
internal import Exports
internal import Platform
internal import Records
internal import Reporting
internal import SystemPackage

/// Writes `removed.ndjson`, the list of files removed since the last report, to the folder of the reports.
struct RemovedTracks {
  private let file: ExportFile
  private let shape = Shape.removal

  init(inFolder folder: FilePath) throws(ExportError) {
    file = try ExportFile(Self.path(inFolder: folder))
  }

  static func path(inFolder folder: FilePath) -> FilePath { folder.appending("removed.ndjson") }
  static let proof = OriginProof.text(beginning: "{\"file_id\":\"", marks: ["\"uri\":\"file://"])

  func append(_ path: FilePath) throws(ExportError) { try file.write(shape.ndjsonLine(ExportRemoval(path: path))) }
  func finish() throws(ExportError) { try file.commit() }
}

/// One line of the list: schema `nocturne.removal` version 1. Fields keep their names and types forever; the only
/// changes are new fields.
extension Shape<ExportRemoval> {
  fileprivate static var removal: Shape {
    Shape(
      summary: "A file that is gone: deleted, moved, or no longer in the selection.",
      fields: [
        .required("file_id", .text, "Id of the file, its file_id in reports.") { $0.fileID },
        .uri { $0.path }, .path { $0.path },
      ])
  }
}

/// The JSON Schema of a line of the list.
package enum RemovalSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "removal", "nocturne.removal.v1.schema.json",
        ReportSchema.lineSchema(Shape.removal.schema, title: "nocturne.removal, version 1: one file that is gone").text
      )
    ]
  }
}
