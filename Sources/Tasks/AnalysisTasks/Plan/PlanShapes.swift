internal import Analysis
internal import Exports
internal import Pipeline
internal import Platform
internal import Records
internal import ResultStore
internal import Text

/// A planned file and the number of its partition.
typealias PlannedRow = (partition: Int, file: PlannedFile)

/// A column of `files.parquet`: a field of `Shape<PlannedRow>` with a column type.
struct PlanColumn: Sendable {
  let column: ParquetColumn
  let value: @Sendable (PlannedRow) -> ParquetColumn.Value?

  private init(
    _ name: String, _ kind: ParquetColumn.Kind, isRequired: Bool = true,
    _ value: @escaping @Sendable (PlannedRow) -> ParquetColumn.Value?
  ) {
    column = ParquetColumn(name, kind, isRequired: isRequired)
    self.value = value
  }

  static let all: [PlanColumn] = [
    PlanColumn("partition", .integer) { .integer(Int64($0.partition)) },
    PlanColumn("key", .text) { .text($0.file.key) },
    PlanColumn("uri", .text) { .text($0.file.path.uri) },
    PlanColumn("display_path", .text) { .text(DisplayPath.text(of: $0.file.path)) },
    PlanColumn("reason", .repeatedText) { .text($0.file.reason.name) },
    PlanColumn("missing", .repeatedText) { .text($0.file.missing.joined(separator: ",")) },
    PlanColumn("size_bytes", .integer) { .integer($0.file.sizeBytes) },
    PlanColumn("modified_ns", .integer) { .integer($0.file.modified.nanoseconds) },
    PlanColumn("codec", .repeatedText, isRequired: false) { $0.file.codec.map { .text($0) } },
    PlanColumn("duration_s", .number, isRequired: false) { $0.file.duration.map { .number($0) } },
    PlanColumn("expected_s", .number) { .number($0.file.expectedSeconds) },
  ]
}

extension PlannedFile {
  /// The `file_id` used in reports.
  var key: String { ContentID(ofPath: path).description }
}

extension Shape<PlannedRow> {
  static var plannedFile: Shape {
    Shape(
      summary: "A file that a run would analyze. analyze worker accepts the line unchanged.",
      fields: [
        .required("partition", .integer, "Number of the partition that the file belongs to, from 0.") { $0.partition },
        .required("key", .text, "Id of the file, its file_id in reports.") { $0.file.key },
        .required("uri", .uri, "URI of the file, percent-encoded.") { $0.file.path.uri },
        .required("display_path", .text, "Path for display; bytes that are not UTF-8 appear as \\xHH.") {
          DisplayPath.text(of: $0.file.path)
        },
        .required(
          "reason", .text,
          """
          new; changed: different size or time; outdated: findings are missing or outdated; retry: failed before; \
          touched: same size and time, but the content may have changed.
          """
        ) { $0.file.reason.name },
        .required(
          "missing", .text,
          "Ids of the analyzers whose findings are missing or outdated, separated by commas."
        ) { $0.file.missing.joined(separator: ",") },
        .required("size_bytes", .integer, "Size in bytes.") { Int($0.file.sizeBytes) },
        .required("modified_ns", .nanoseconds, "Time of the last change of the content, in nanoseconds since 1970.") {
          $0.file.modified
        },
        .optional("codec", .text, "Codec at the last analysis; null if unknown.") { $0.file.codec },
        .optional("duration_s", .number, "Duration in seconds at the last analysis; null if unknown.") {
          $0.file.duration
        },
        .required("expected_s", .number, "Expected processor time in seconds.") { $0.file.expectedSeconds },
      ])
  }
}

/// A plan without its list of files.
struct PlanSummary {
  let id: String
  let made: Timestamp
  let programVersion: String
  let pipelineName: String
  let digest: String
  let decoderVersion: Int
  let analyzers: [Analyzer]
  let counts: ScanCounts
  let total: WorkPlan.Partition
  let partitions: [Partition]

  struct Analyzer {
    var identity: AnalyzerIdentity
    var readsAudio: Bool
    var fileCount: Int
  }

  struct Partition {
    var partition: WorkPlan.Partition
    var groups: Range<Int>?
  }

  init(_ plan: borrowing WorkPlan, _ groups: [Range<Int>]?) {
    id = plan.id
    made = plan.made
    programVersion = plan.programVersion
    pipelineName = plan.pipeline.name
    digest = plan.pipeline.digest.description
    let wanted = plan.pipeline.wanted
    decoderVersion = wanted.decoderVersion
    let missing = plan.missing
    analyzers = wanted.members.map {
      Analyzer(identity: $0.identity, readsAudio: $0.readsAudio, fileCount: missing[$0.identity.id] ?? 0)
    }
    counts = plan.counts
    total = WorkPlan.Partition(
      number: 0, fileCount: plan.fileCount, bytes: plan.bytes, expectedSeconds: plan.expectedSeconds)
    partitions = plan.partitions.enumerated().map { Partition(partition: $1, groups: groups?[$0]) }
  }
}

extension Shape<PlanSummary> {
  static var workPlan: Shape {
    Shape(
      summary:
        "The work of a run. Its files are listed in files.parquet beside this file, or by analyze plan --ndjson.",
      fields: [
        .required("schema", .text, "Name of the schema: nocturne.plan.") { _ in "nocturne.plan" },
        .required(
          "version", .integer, "Version of the schema: 1. A version may gain fields, but existing ones never change."
        ) { _ in
          1
        },
        .required(
          "plan_id", .text,
          "Identifies the plan. Plans of the same files, analyzers and partitions by the same version of the "
            + "program are equal."
        ) { $0.id },
        .required("generated_at", .dateTime, "When the plan was made, UTC.") { $0.made },
        .required("program_version", .text, "Version of the program; workers must have the same version.") {
          $0.programVersion
        },
        .object("pipeline", .plannedPipeline, "Pipeline that analyzes the files; workers must use the same pipeline.") {
          $0
        },
        .object("totals", .planTotals, "Totals of all files.") { $0 },
        .objects("partitions", .planPartition, "Partitions with about the same amount of work.") { $0.partitions },
      ])
  }

  fileprivate static var plannedPipeline: Shape {
    Shape(
      summary: "A pipeline.",
      fields: [
        .required("name", .text, "Name of the pipeline definition.") { $0.pipelineName },
        .required("configuration_digest", .text, "Equal digests mean equal configurations.") { $0.digest },
        .required("decoder_version", .integer, "Version of the decoders.") { $0.decoderVersion },
        .objects("analyzers", .plannedAnalyzer, "Analyzers of the pipeline.") { $0.analyzers },
      ])
  }

  fileprivate static var planTotals: Shape {
    Shape(
      summary: "Numbers of files by what a run would do with them.",
      fields: [
        .required("files", .integer, "Number of files to analyze.") { $0.total.fileCount },
        .required("bytes", .integer, "Size of these files in bytes.") { Int($0.total.bytes) },
        .required("expected_s", .number, "Expected processor time in seconds.") { $0.total.expectedSeconds },
        .required("new", .integer, "Files that were never analyzed.") { $0.counts.new },
        .required("changed", .integer, "Files with a different size or time.") { $0.counts.changed },
        .required("outdated", .integer, "Files with missing or outdated findings.") { $0.counts.outdated },
        .required("retried", .integer, "Files that failed before and are retried.") { $0.counts.retried },
        .required("touched", .integer, "Files with the same size and time whose content may have changed.") {
          $0.counts.touched
        },
        .required("cached", .integer, "Unchanged files that need no work.") { $0.counts.cached },
        .required("known_failures", .integer, "Unchanged files that are known as failing and are not retried.") {
          $0.counts.knownFailures
        },
        .required("skipped", .integer, "Files that are not audio or are left out.") { $0.counts.skipped },
        .required("moved", .integer, "Files, all counted above as well, that were found at another path than before.") {
          $0.counts.moved
        },
        .required("vanished", .integer, "Files that are gone since the last run.") { $0.counts.vanished },
      ])
  }
}

extension Shape<PlanSummary.Analyzer> {
  fileprivate static var plannedAnalyzer: Shape {
    Shape(
      summary: "An analyzer in one version and configuration.",
      fields: [
        .required("id", .text, "Id of the analyzer.") { $0.identity.id },
        .required("version", .integer, "Version of the analyzer.") { $0.identity.version },
        .required("digest", .text, "Digest of the analyzer's configuration.") { $0.identity.digest },
        .required("reads_audio", .boolean, "The findings depend on the encoded audio only.") { $0.readsAudio },
        .required("files", .integer, "Number of files without current findings of this analyzer.") { $0.fileCount },
      ])
  }
}

extension Shape<PlanSummary.Partition> {
  fileprivate static var planPartition: Shape {
    Shape(
      summary: "A partition: the files for one task.",
      fields: [
        .required("partition", .integer, "Number of the partition, from 0.") { $0.partition.number },
        .required("files", .integer, "Number of files in the partition.") { $0.partition.fileCount },
        .required("bytes", .integer, "Size of these files in bytes.") { Int($0.partition.bytes) },
        .required("expected_s", .number, "Expected processor time in seconds.") { $0.partition.expectedSeconds },
        .optional(
          "first_row_group", .integer,
          "First row group of the partition in files.parquet, from 0; null without --parquet."
        ) {
          $0.groups?.lowerBound
        },
        .optional(
          "row_groups", .integer, "Number of row groups of the partition in files.parquet; null without --parquet."
        ) { $0.groups?.count },
      ])
  }
}
