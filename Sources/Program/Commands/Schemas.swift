internal import AnalysisTasks
internal import BuiltInAnalyzers
internal import DuplicateTasks
internal import LibraryTasks
internal import Platform
internal import RecognitionTasks
internal import Reporting

/// The files of `reports/schema/`.
enum Schemas {
  /// The proof that Nocturne wrote a schema file.
  static let proof = OriginProof.text(marks: ["nocturne"])

  /// The schemas, each with the format that it describes and its file name.
  static var files: [(format: String, name: String, text: String)] {
    ReportSchema(findings: BuiltInAnalyzers.findings).files + RecognitionSchema.files + SearchSchema.files
      + SimilarSchema.files + DuplicateSchema.files + PlaylistSchema.files + ClickSchema.files
      + CorrectionSchema.files + RemovalSchema.files + TagWritingSchema.files + PlanSchema.files
      + FileChronicleSchema.files + BrokenSchema.files + VerificationSchema.files
  }
}
