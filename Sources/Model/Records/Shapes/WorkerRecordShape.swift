internal import Analysis
internal import Platform
internal import Text

/// The output lines of `analyze worker`, in schema `nocturne.worker` version 1.
extension Shape<WorkerRecord> {
  package static func worker(_ options: ReportOptions) -> Shape {
    Shape(
      summary: "The result of one line of input.",
      fields: [
        .required("schema", .text, "nocturne.worker") { _ in WorkerRecord.schema },
        .required(
          "version", .integer, "Version of the schema: 1. A version may gain fields, but existing ones never change."
        ) { _ in
          WorkerRecord.schemaVersion
        },
        .required(
          "key", .text,
          "The key of the line, otherwise the line itself. Bytes that are not UTF-8 appear as in file.path."
        ) { $0.key },
        .required(
          "status", .choice,
          "Status of the file as in file.status, or timeout: the time limit was reached; file.status then tells "
            + "whether anything was found before."
        ) { $0.status },
        .optionalObject("error", .problem, "Why the status is not ok; null if it is.") { $0.problem },
        .optionalObject("file", .file(options), "Record of the file; null if the line named no file.") { $0.file },
        .required("analyzed_at", .dateTime, "Start of the work on the line, UTC.") { $0.analyzed },
        .required("analyzed_ns", .nanoseconds, "Start of the work on the line, in nanoseconds since 1970.") {
          $0.analyzed
        },
        .optionalObject("stamp", .stamp, "Location and times of the file when it was opened; null if none was opened.")
        { $0.stamp },
        .object("pipeline", .pipeline, "The pipeline that analyzed the file.") { $0 },
        .optional(
          "analysis", .json,
          "All findings with their exact values, and the checksum of the bytes, for analyze merge. Their content "
            + "depends on the analyzers' versions."
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
      summary: "Location and times of a file according to stat, or of an object according to its server.",
      fields: [
        .required("device", .text, "Device number; 0 for an object.") { String($0.device) },
        .required("inode", .text, "Inode number.") { String($0.inode) },
        .required("size_bytes", .integer, "Size in bytes.") { Int($0.sizeBytes) },
        .required("modified_ns", .nanoseconds, "Time of the last change of the content, in nanoseconds since 1970.") {
          $0.modified
        },
        .required(
          "changed_ns", .nanoseconds,
          "Time of the last change of content, name, owner or mode, in nanoseconds since 1970."
        ) { $0.statusChanged },
        .optional("etag", .text, "Entity tag of an object, as its server wrote it; null for a file.") { $0.entityTag },
      ])
  }
}

extension Shape<WorkerRecord> {
  fileprivate static var pipeline: Shape {
    Shape(
      summary: "A pipeline and the program that ran it.",
      fields: [
        .required("name", .text, "Name of the pipeline definition.") { $0.pipeline.name },
        .required("program_version", .text, "Version of the program.") { $0.programVersion },
        .required("configuration_digest", .text, "Equal digests mean equal configurations.") { $0.pipeline.digest },
        .required("decoder_version", .integer, "Version of the decoders.") { $0.pipeline.decoderVersion },
        .objects("analyzers", .analyzer, "Analyzers of the pipeline.") { record in
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
        .required("id", .text, "Id of the analyzer.") { $0.identity.id },
        .required("version", .integer, "Version of the analyzer.") { $0.identity.version },
        .required("digest", .text, "Digest of the analyzer's configuration.") { $0.identity.digest },
        .required("reads_audio", .boolean, "The findings depend on the encoded audio only.") { $0.readsAudio },
      ])
  }
}
