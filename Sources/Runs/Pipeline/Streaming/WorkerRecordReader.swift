public import Analysis
internal import LibraryScan
internal import Platform
internal import Records
public import ResultStore
internal import SystemPackage
internal import Text

/// Parses the output of `analyze worker` for the store.
public struct WorkerRecordReader {
  /// The reason a line is rejected, in one sentence.
  public struct Refusal: Error, Hashable, Sendable {
    public var message: String
    /// `true` if nothing shows that a worker wrote the line.
    public var isForeign = false
  }

  /// The content of a line, as the store needs it.
  public enum Content: Sendable {
    case result(WorkerResult, ResultOrigin)
    /// The line has no file, or its file could not be examined.
    case nothing
  }

  private let userInfo: [CodingUserInfoKey: any Sendable]

  /// - Parameter kinds: The built-in analyzers, for the types of their findings.
  public init(kinds: [AnalyzerKind]) {
    userInfo = WorkerLine.userInfo(kinds)
  }

  public func content(of line: [UInt8]) throws(Refusal) -> Content {
    let text: Line
    do {
      text = try WorkerLine.decoded(line, as: Line.self, userInfo: userInfo)
    } catch is JSONSyntaxError {
      throw Refusal(message: "it is not JSON; it may be cut", isForeign: true)
    } catch {
      // A line of another version may differ in every field, so a wrong version is reported first.
      let head = try? WorkerLine.decoded(line, as: Head.self)
      if let head { try check(head) }
      throw Refusal(message: "it does not follow the schema: \(Self.reason(of: error))", isForeign: head == nil)
    }
    try check(Head(schema: text.schema, version: text.version))
    return try content(of: text)
  }

  private func check(_ head: Head) throws(Refusal) {
    guard head.schema == WorkerRecord.schema else {
      throw Refusal(
        message: "it was not written by analyze worker (schema \(head.schema ?? "missing"))", isForeign: true)
    }
    guard head.version == WorkerRecord.schemaVersion else {
      throw Refusal(message: "it was written by a newer version of this program")
    }
  }

  private func content(of line: Line) throws(Refusal) -> Content {
    guard let file = line.file else { return .nothing }
    let uri = Array(file.uri.utf8)
    let object = try? ObjectAddress(uri: uri)
    guard let path = object?.name.path ?? (uri.starts(with: "file:".utf8) ? try? FilePath(fileURI: uri) : nil) else {
      throw Refusal(message: "its uri does not name a file: \(file.uri)")
    }
    let content: WorkerResult.Content
    if line.status == .skipped, let error = line.error {
      content = .skipped(SkippedFile(path: path, code: error.code, message: error.message))
    } else if let stamp = line.stamp, var analysis = line.analysis {
      guard let device = UInt64(stamp.device), let inode = UInt64(stamp.inode), stamp.sizeBytes >= 0 else {
        throw Refusal(message: "its stamp is invalid")
      }
      // The analysis may lack audio findings that the worker already knew. This store does not know them.
      analysis.reusesKnownAudio = false
      content = .analysis(
        analysis,
        of: FileStamp(
          path: path, device: device, inode: object == nil ? inode : ScannedFile.number(ofEntityTag: stamp.entityTag),
          sizeBytes: stamp.sizeBytes, modified: Timestamp(nanoseconds: stamp.modified)))
    } else {
      return .nothing
    }
    let analyzers = line.pipeline.analyzers ?? []
    return .result(
      WorkerResult(content, analyzed: Timestamp(nanoseconds: line.analyzed)),
      ResultOrigin(
        pipeline: line.pipeline.name, digest: line.pipeline.digest,
        wanted: WantedAnalyses(
          members: analyzers.map {
            WantedAnalyses.Member(
              identity: AnalyzerIdentity(id: $0.id, version: $0.version, digest: $0.digest), readsAudio: $0.readsAudio)
          }, decoderVersion: line.pipeline.decoderVersion)))
  }

  private static func reason(of error: any Error) -> String {
    let context: DecodingError.Context
    switch error {
    case DecodingError.keyNotFound(let key, let found):
      return (found.codingPath + [key]).map(\.stringValue).joined(separator: ".") + " is missing"
    case DecodingError.dataCorrupted(let found), DecodingError.typeMismatch(_, let found),
      DecodingError.valueNotFound(_, let found):
      context = found
    default: return "\(error)"
    }
    let place = context.codingPath.map(\.stringValue).joined(separator: ".")
    return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
  }
}

/// The fields that identify a line of this schema.
private struct Head: Decodable {
  var schema: String?
  var version: Int?
}

/// The fields of `WorkerRecord` that a store needs.
private struct Line: Decodable {
  struct File: Decodable {
    var uri: String
  }

  struct Stamp: Decodable {
    var device: String
    var inode: String
    var sizeBytes: Int64
    var modified: Int64
    var entityTag: String?

    enum CodingKeys: String, CodingKey {
      case device, inode
      case entityTag = "etag"
      case sizeBytes = "size_bytes"
      case modified = "modified_ns"
    }
  }

  struct Pipeline: Decodable {
    struct Analyzer: Decodable {
      var id: String
      var version: Int
      var digest: String
      var readsAudio: Bool

      enum CodingKeys: String, CodingKey {
        case id, version, digest
        case readsAudio = "reads_audio"
      }
    }

    var name: String
    var digest: String
    var decoderVersion: Int
    var analyzers: [Analyzer]?

    enum CodingKeys: String, CodingKey {
      case name, analyzers
      case digest = "configuration_digest"
      case decoderVersion = "decoder_version"
    }
  }

  var schema: String
  var version: Int
  var status: WorkerRecord.Status
  var error: Problem?
  var file: File?
  var stamp: Stamp?
  var analyzed: Int64
  var pipeline: Pipeline
  var analysis: FileAnalysis?

  enum CodingKeys: String, CodingKey {
    case schema, version, status, error, file, stamp, pipeline, analysis
    case analyzed = "analyzed_ns"
  }
}
