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
      summary: "A file that a run would analyze. analyze worker takes the line as it is.",
      fields: [
        .required("partition", .integer, "Number of its partition, from 0.") { $0.partition },
        .required("key", .text, "The file_id of reports.") { $0.file.key },
        .required("uri", .uri, "The file, percent-encoded.") { $0.file.path.uri },
        .required("display_path", .text, "The path as text; bytes that are not UTF-8 stand as \\xHH.") {
          DisplayPath.text(of: $0.file.path)
        },
        .required(
          "reason", .text,
          """
          new; changed: another size or time; outdated: findings are missing or outdated; retry: failed before; touched: the \
          same size and time, but perhaps not the same file.
          """
        ) { $0.file.reason.name },
        .required(
          "missing", .text,
          "Ids of the analyzers to run, joined by commas: those of the findings that are missing or outdated."
        ) { $0.file.missing.joined(separator: ",") },
        .required("size_bytes", .integer, "Size in bytes.") { Int($0.file.sizeBytes) },
        .required("modified_ns", .nanoseconds, "Last change of the content, nanoseconds since 1970.") {
          $0.file.modified
        },
        .optional("codec", .text, "Codec, as it was analyzed last.") { $0.file.codec },
        .optional("duration_s", .number, "Seconds of audio, as it was analyzed last.") { $0.file.duration },
        .required("expected_s", .number, "Expected seconds of work of one processor.") { $0.file.expectedSeconds },
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
      summary: "What a run would do. The files are in files.parquet beside it, or the lines of analyze plan --ndjson.",
      fields: [
        .required("schema", .text, "nocturne.plan") { _ in "nocturne.plan" },
        .required("version", .integer, "Of the schema: 1. Fields are added within a version, and never change.") { _ in
          1
        },
        .required(
          "plan_id", .text,
          "Equal for plans of the same files, analyzers and partitions by the same version of the program."
        ) { $0.id },
        .required("generated_at", .dateTime, "When the plan was made, UTC.") { $0.made },
        .required("program_version", .text, "Version of the program; workers must have it.") { $0.programVersion },
        .object("pipeline", .plannedPipeline, "What the files are analyzed by; workers must have it.") { $0 },
        .object("totals", .planTotals, "All files.") { $0 },
        .objects("partitions", .planPartition, "The parts, of equal work as far as files allow.") { $0.partitions },
      ])
  }

  fileprivate static var plannedPipeline: Shape {
    Shape(
      summary: "A pipeline.",
      fields: [
        .required("name", .text, "Name of its definition.") { $0.pipelineName },
        .required("configuration_digest", .text, "Equal digests mean equal configurations.") { $0.digest },
        .required("decoder_version", .integer, "Version of the decoders.") { $0.decoderVersion },
        .objects("analyzers", .plannedAnalyzer, "All its analyzers.") { $0.analyzers },
      ])
  }

  fileprivate static var planTotals: Shape {
    Shape(
      summary: "Files by what a run would do with them.",
      fields: [
        .required("files", .integer, "Files to analyze.") { $0.total.fileCount },
        .required("bytes", .integer, "Their size in bytes.") { Int($0.total.bytes) },
        .required("expected_s", .number, "Expected seconds of work of one processor.") { $0.total.expectedSeconds },
        .required("new", .integer, "Never analyzed.") { $0.counts.new },
        .required("changed", .integer, "Of another size or time.") { $0.counts.changed },
        .required("outdated", .integer, "With missing or outdated findings.") { $0.counts.outdated },
        .required("retried", .integer, "Failed before, and tried again.") { $0.counts.retried },
        .required("touched", .integer, "Of the same size and time, but perhaps not the same.") { $0.counts.touched },
        .required("cached", .integer, "Unchanged: nothing to do.") { $0.counts.cached },
        .required("known_failures", .integer, "Unchanged, and known as failing: nothing to do.") {
          $0.counts.knownFailures
        },
        .required("skipped", .integer, "Not audio, or left out.") { $0.counts.skipped },
        .required("moved", .integer, "Of all above, those found under another path than before.") { $0.counts.moved },
        .required("vanished", .integer, "Gone since the last run.") { $0.counts.vanished },
      ])
  }
}

extension Shape<PlanSummary.Analyzer> {
  fileprivate static var plannedAnalyzer: Shape {
    Shape(
      summary: "An analyzer in one version and configuration.",
      fields: [
        .required("id", .text, "Its id.") { $0.identity.id },
        .required("version", .integer, "Its version.") { $0.identity.version },
        .required("digest", .text, "Digest of its configuration.") { $0.identity.digest },
        .required("reads_audio", .boolean, "Its findings follow from the encoded audio alone.") { $0.readsAudio },
        .required("files", .integer, "Files that lack its findings.") { $0.fileCount },
      ])
  }
}

extension Shape<PlanSummary.Partition> {
  fileprivate static var planPartition: Shape {
    Shape(
      summary: "Files for one task of an engine.",
      fields: [
        .required("partition", .integer, "Its number, from 0.") { $0.partition.number },
        .required("files", .integer, "Files in it.") { $0.partition.fileCount },
        .required("bytes", .integer, "Their size in bytes.") { Int($0.partition.bytes) },
        .required("expected_s", .number, "Expected seconds of work of one processor.") { $0.partition.expectedSeconds },
        .optional("first_row_group", .integer, "Its first row group in files.parquet, from 0.") {
          $0.groups?.lowerBound
        },
        .optional("row_groups", .integer, "How many row groups it has there.") { $0.groups?.count },
      ])
  }
}
