import Analysis
import AnalysisTesting
import LibraryScan
import Platform
import ResultStore
import SystemPackage
import Testing

@testable import Pipeline

/// Lines of `analyze worker` as the store receives them.
@Suite(.bounded) struct WorkerRecordReaderTests {
  private static let pipeline =
    #""pipeline":{"name":"p","configuration_digest":"d","decoder_version":3,"analyzers":["#
    + #"{"id":"tags","version":2,"digest":"t","reads_audio":false},"#
    + #"{"id":"key","version":1,"digest":"k","reads_audio":true}]}"#

  private static func line(
    status: String = "ok", error: String = "null", uri: String = "file:///music/a.wav", size: Int = 1_000,
    inode: String = "12", tag: String? = nil, isReused: Bool = false
  ) -> String {
    #"{"schema":"nocturne.worker","version":1,"status":"\#(status)","error":\#(error),"file":{"uri":"\#(uri)"},"#
      + #""analyzed_ns":5,"stamp":{"device":"9","inode":"\#(inode)","size_bytes":\#(size),"modified_ns":7"#
      + (tag.map { #","etag":"\#($0)""# } ?? "") + #"},\#(pipeline),"#
      + #""analysis":{"status":"ok","remarks":[],"reuses_known_audio":\#(isReused),"outcomes":[]}}"#
  }

  private func content(_ line: String) throws -> WorkerRecordReader.Content {
    try WorkerRecordReader(kinds: []).content(of: Array(line.utf8))
  }

  /// The analysis of a line and the stamp of its file.
  private func analysis(_ line: String) throws -> (analysis: FileAnalysis, stamp: FileStamp) {
    guard case .result(let result, _) = try content(line), case .analysis(let analysis, let stamp) = result.content
    else {
      throw WorkerRecordReader.Refusal(message: "no analysis")
    }
    return (analysis, stamp)
  }

  private func refusal(_ line: String) -> String? {
    do {
      _ = try content(line)
      return nil
    } catch {
      return (error as? WorkerRecordReader.Refusal)?.message
    }
  }

  @Test func linesNameTheirFileAndTheirPipeline() throws {
    guard case .result(let result, let origin) = try content(Self.line()) else {
      Issue.record("no result")
      return
    }
    #expect(result.analyzed == Timestamp(nanoseconds: 5))
    let tags = WantedAnalyses.Member(
      identity: AnalyzerIdentity(id: "tags", version: 2, digest: "t"), readsAudio: false)
    let key = WantedAnalyses.Member(identity: AnalyzerIdentity(id: "key", version: 1, digest: "k"), readsAudio: true)
    #expect(
      origin
        == ResultOrigin(
          pipeline: "p", digest: "d", wanted: WantedAnalyses(members: [tags, key], decoderVersion: 3)))
    #expect(
      try analysis(Self.line()).stamp
        == FileStamp(
          path: "/music/a.wav", device: 9, inode: 12, sizeBytes: 1_000, modified: Timestamp(nanoseconds: 7)))
  }

  /// An object is identified by its entity tag. It has no inode, whatever the line says.
  @Test func objectsAreKnownByTheirTags() throws {
    for tag in ["\\\"one\\\"", "W/\\\"one\\\""] {
      let stamp = try analysis(Self.line(uri: "s3://bucket/a.wav", tag: tag)).stamp
      #expect(stamp.path == "s3:/bucket/a.wav" && stamp.inode == ScannedFile.number(ofEntityTag: "\"one\""))
      #expect(stamp.inode != 12)
    }
    #expect(try analysis(Self.line(uri: "s3://bucket/a.wav")).stamp.inode == 0)
    #expect(try analysis(Self.line(tag: "one")).stamp.inode == 12)
  }

  /// The store that receives a line does not have the findings that its worker knew.
  @Test(arguments: [true, false]) func knownAudioOfTheWorkerIsUnknownHere(isReused: Bool) throws {
    #expect(try !analysis(Self.line(isReused: isReused)).analysis.reusesKnownAudio)
  }

  @Test func onlySkippedFilesAreSkipped() throws {
    let error = #"{"stage":"scan","code":"not_audio","message":"No."}"#
    guard case .result(let result, _) = try content(Self.line(status: "skipped", error: error)),
      case .skipped(let file) = result.content
    else {
      Issue.record("not skipped")
      return
    }
    #expect(file == SkippedFile(path: "/music/a.wav", code: "not_audio", message: "No."))
    #expect(try analysis(Self.line(status: "failed", error: error)).stamp.inode == 12)
  }

  @Test func stampsMustBePossible() {
    let invalid = "its stamp is invalid"
    #expect(refusal(Self.line(size: 0)) == nil)
    #expect(refusal(Self.line(size: -1)) == invalid)
    #expect(refusal(Self.line(inode: "18446744073709551615")) == nil)
    #expect(refusal(Self.line(inode: "-1")) == invalid && refusal(Self.line(inode: "x")) == invalid)
  }

  /// The version comes first, because a line of a newer version may differ anywhere.
  @Test func refusalsNameThePlace() {
    let line = Self.line()
    for version in ["2", "0"] {
      let newer = line.replacing(#""version":1,"status""#, with: #""version":\#(version),"status""#)
      #expect(refusal(newer) == "it was written by a newer version of this program")
      #expect(refusal(newer.replacing("analyzed_ns", with: "x")) == "it was written by a newer version of this program")
    }
    #expect(
      refusal(line.replacing("nocturne.worker", with: "x")) == "it was not written by analyze worker (schema x)")
    #expect(refusal(#"{"version":1}"#) == "it was not written by analyze worker (schema missing)")
    #expect(
      refusal(line.replacing("size_bytes", with: "size"))
        == "it does not follow the schema: stamp.size_bytes is missing")
    #expect(
      refusal(line.replacing(#""device":"9""#, with: #""device":9"#))?
        .hasPrefix("it does not follow the schema: stamp.device: ") == true)
    let whole = refusal("[]") ?? ""
    #expect(whole.hasPrefix("it does not follow the schema: ") && !whole.contains(": : "), "\(whole)")
  }
}
