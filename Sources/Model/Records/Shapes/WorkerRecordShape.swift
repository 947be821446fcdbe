internal import Analysis
internal import Platform
internal import Text

/// The output lines of `analyze worker`, in schema `nocturne.worker` version 1.
extension Shape<WorkerRecord> {
  package static func worker(_ options: ReportOptions) -> Shape {
    Shape(
      summary: "What became of one line of input.",
      fields: [
        .required("schema", .text, "nocturne.worker") { _ in WorkerRecord.schema },
        .required("version", .integer, "Of the schema: 1. Fields are added within a version, and never change.") { _ in
          WorkerRecord.schemaVersion
        },
        .required(
          "key", .text,
          "The key of the line, else the line itself. Bytes that are not UTF-8 stand as in the path of a file."
        ) { $0.key },
        .required(
          "status", .choice,
          "As in file, and timeout: the time limit came first; file.status says whether something was found before."
        ) { $0.status },
        .optionalObject("error", .problem, "Why the status is not ok.") { $0.problem },
        .optionalObject("file", .file(options), "null if the line named no file.") { $0.file },
        .required("analyzed_at", .dateTime, "When the work on the line began, UTC.") { $0.analyzed },
        .required("analyzed_ns", .nanoseconds, "The same in nanoseconds since 1970.") { $0.analyzed },
        .optionalObject("stamp", .stamp, "The file when it was opened; null if none was.") { $0.stamp },
        .object("pipeline", .pipeline, "What the file was analyzed by.") { $0 },
        .optional(
          "analysis", .json,
          "Every finding with its exact values and the checksum of the bytes, for analyze merge; findings belong to the analyzers' versions."
        ) { $0.analysis.flatMap(exactValue(of:)) },
      ])
  }
}

/// Encodes the analysis. If JSON cannot represent a finding, its analyzer counts as failed; the other findings are
/// kept.
@Sendable private func exactValue(of analysis: FileAnalysis) -> JSONValue? {
  if let value = try? JSONValue(encoding: analysis) { return value }
  var analysis = analysis
  for index in analysis.outcomes.indices {
    do {
      _ = try JSONValue(encoding: analysis.outcomes[index])
    } catch {
      analysis.outcomes[index].result = .failed("The finding cannot be written as JSON: \(error).")
    }
  }
  return try? JSONValue(encoding: analysis)
}

extension Shape<WorkerRecord.Stamp> {
  fileprivate static var stamp: Shape {
    Shape(
      summary: "Where a file lies and when it was changed, as stat tells; for an object, as its server does.",
      fields: [
        .required("device", .text, "Number of the device; 0 for an object.") { String($0.device) },
        .required("inode", .text, "Number of the inode.") { String($0.inode) },
        .required("size_bytes", .integer, "Size in bytes.") { Int($0.sizeBytes) },
        .required("modified_ns", .nanoseconds, "Last change of the content, nanoseconds since 1970.") { $0.modified },
        .required("changed_ns", .nanoseconds, "Last change of content, name, owner or mode.") { $0.statusChanged },
        .optional("etag", .text, "Entity tag of an object, as its server wrote it; null for a file.") { $0.entityTag },
      ])
  }
}

extension Shape<WorkerRecord> {
  fileprivate static var pipeline: Shape {
    Shape(
      summary: "A pipeline, and the program that had it.",
      fields: [
        .required("name", .text, "Name of its definition.") { $0.pipeline.name },
        .required("program_version", .text, "Version of the program.") { $0.programVersion },
        .required("configuration_digest", .text, "Equal digests mean equal configurations.") { $0.pipeline.digest },
        .required("decoder_version", .integer, "Version of the decoders.") { $0.pipeline.decoderVersion },
        .objects("analyzers", .analyzer, "All its analyzers.") { record in
          record.pipeline.analyzers.map {
            PipelineMember(identity: $0, readsAudio: record.pipeline.audioReaders.contains($0.id))
          }
        },
      ])
  }
}

private struct PipelineMember {
  var identity: AnalyzerIdentity
  var readsAudio: Bool
}

extension Shape<PipelineMember> {
  fileprivate static var analyzer: Shape {
    Shape(
      summary: "An analyzer in one version and configuration.",
      fields: [
        .required("id", .text, "Its id.") { $0.identity.id },
        .required("version", .integer, "Its version.") { $0.identity.version },
        .required("digest", .text, "Digest of its configuration.") { $0.identity.digest },
        .required("reads_audio", .boolean, "Its findings follow from the encoded audio alone.") { $0.readsAudio },
      ])
  }
}
