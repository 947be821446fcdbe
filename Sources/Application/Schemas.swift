internal import BuiltInAnalyzers
internal import Reporting

/// The files of `reports/schema/`.
package enum Schemas {
  /// By what has the format, and by file name.
  package static var files: [(format: String, name: String, text: String)] {
    ReportSchema(findings: BuiltInAnalyzers.findings).files + RecognitionSchema.files + SearchSchema.files
      + SimilarSchema.files + PlaylistSchema.files + ClickSchema.files + CorrectionSchema.files + RemovalSchema.files
      + TagWritingSchema.files
  }
}
