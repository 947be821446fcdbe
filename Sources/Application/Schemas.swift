internal import BuiltInAnalyzers
package import Platform
internal import Reporting

/// The files of `reports/schema/`.
package enum Schemas {
  /// The proof for such a file.
  package static let proof = OriginProof.text(marks: ["nocturne"])

  /// By what has the format, and by file name.
  package static var files: [(format: String, name: String, text: String)] {
    ReportSchema(findings: BuiltInAnalyzers.findings).files + RecognitionSchema.files + SearchSchema.files
      + SimilarSchema.files + PlaylistSchema.files + ClickSchema.files + CorrectionSchema.files + RemovalSchema.files
      + TagWritingSchema.files
  }
}
