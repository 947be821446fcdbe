import Analysis
import AnalysisEngine
import AnalysisTesting
import Foundation
import LibraryScan
import Platform
import Records
import ResultStore
import Synchronization
import SystemPackage
import Testing

@testable import Pipeline

/// Verification of files whose analyses come from elsewhere, without a checksum or with an incomplete one.
@Suite(.bounded) struct VerificationTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore
  private let original: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("results.sqlite"), findings: [])
    var random = SplitMix64.fresh()
    // A chunk without audio follows the samples.
    original =
      WAVFile(.noise(seed: random.next(), sampleRate: 8_000, seconds: 0.25)).bytes
      + Array("LIST".utf8) + [16, 0, 0, 0] + (0..<16).map { _ in .random(in: 0...255, using: &random) }
  }

  // MARK: - The library

  /// Writes a file, and puts its times back if it existed.
  private func put(_ bytes: [UInt8], as name: String) throws -> FilePath {
    let path = try folder.write(bytes, as: name)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: path.string)
    return path
  }

  /// Writes a file and merges its analysis.
  /// - Parameter change: Changes the analysis, which has no checksum, before it is stored.
  private func add(_ bytes: [UInt8], as name: String, _ change: (inout FileAnalysis) -> Void = { _ in }) throws
    -> FilePath
  {
    let path = try put(bytes, as: name)
    let plan = try Self.plan()
    var analysis = try #require(plan.makeFileAnalyzer().analyze(AnalysisJob(path: path)))
    #expect(analysis.checksum == nil)
    change(&analysis)
    var stamp = FileStamp(try #require(ScannedFile(lookingAt: path)))
    stamp.statusChanged = nil
    try ResultMerger(store: store, programVersion: "1").merge(
      [WorkerResult(.analysis(analysis, of: stamp), analyzed: Timestamp(nanoseconds: 7))],
      from: ResultOrigin(pipeline: "p", digest: "d", wanted: plan.wanted))
    return path
  }

  private static func plan() throws -> AnalysisPlan {
    try LibraryVerification.definition.plan(with: [AnalyzerKind(NoTags.self)])
  }

  private func verify(accepts: Bool = false) async throws -> LibraryVerification.Outcome {
    try await LibraryVerification(
      store: store, request: LibraryVerification.Request(jobs: 1, accepts: accepts), control: RunControl()
    ) { _ in }.perform(Self.plan())
  }

  private var changedAudio: [UInt8] {
    var bytes = original
    bytes[1_000] ^= 4
    return bytes
  }

  private var changedTags: [UInt8] {
    var bytes = original
    bytes[bytes.count - 3] ^= 4
    return bytes
  }

  private func events(_ path: FilePath) throws -> [String] {
    try store.events(at: path).filter { ![.firstSeen, .analyzed, .verified].contains($0.kind) }.map {
      [$0.kind.rawValue, $0.detail].compactMap(\.self).joined(separator: " ")
    }
  }

  // MARK: - Files without a checksum

  /// The audio is compared with the content id of the analysis.
  @Test func changedAudioIsReportedBeforeThereIsAChecksum() async throws {
    let path = try add(original, as: "a.wav")
    let other = try add(original, as: "b.wav")
    _ = try put(changedAudio, as: "a.wav")
    let found = try await verify()
    #expect(found.totals.changedSilently == 1 && found.totals.taken == 1 && found.totals.all == 2)
    let trouble = try #require(found.troubles.first)
    #expect(found.troubles.count == 1 && trouble.path == path && trouble.isNews)
    #expect(trouble.kind == .changedSilently && trouble.hit == .audio)
    #expect(trouble.message == "Bytes changed although size and times did not, in the audio.")
    let stored = try #require(try store.checksum(at: path))
    #expect(stored.state == .changedSilently && stored.hit == .audio && stored.checksum == nil)
    #expect(try events(path) == ["changed_silently audio"])
    let record = try #require(try store.record(at: path))
    #expect(record.status == .partial && record.problem?.code == Problem.changedSilently)
    #expect(try store.checksum(at: other)?.state == nil && store.record(at: other)?.status == .ok)

    // Known from now on, until the file has its former audio again.
    let again = try await verify()
    #expect(again.totals.knownChanged == 1 && again.totals.changedSilently == 0 && again.totals.verified == 1)
    #expect(again.troubles.map(\.isNews) == [false])
    _ = try put(original, as: "a.wav")
    let last = try await verify()
    #expect(last.totals.restored == 1 && last.troubles.isEmpty)
    #expect(try events(path) == ["changed_silently audio", "restored"])
    #expect(try store.record(at: path)?.status == .ok)
  }

  /// Nothing is known about the bytes outside the audio, so they are taken as they are.
  @Test func sameAudioIsTaken() async throws {
    let path = try add(original, as: "a.wav")
    _ = try put(changedTags, as: "a.wav")
    let found = try await verify()
    #expect(found.totals.taken == 1 && found.totals.all == 1 && found.troubles.isEmpty)
    let checksum = try #require(try store.checksum(at: path)?.checksum)
    #expect(checksum.whole == ContentID(hashing: changedTags) && checksum.byteCount == Int64(original.count))
    #expect(try events(path) == [] && store.record(at: path)?.status == .ok)
    #expect(try await verify().totals.verified == 1)
    // The checksum covers all bytes, and the range of the audio tells the two kinds of changes apart.
    _ = try put(original, as: "a.wav")
    #expect(try await verify().troubles.map(\.hit) == [.tags])
    _ = try put(changedAudio, as: "a.wav")
    #expect(try await verify().troubles.map(\.hit) == [.audio])
  }

  @Test func changedAudioCanBeAccepted() async throws {
    let path = try add(original, as: "a.wav")
    _ = try put(changedAudio, as: "a.wav")
    let found = try await verify(accepts: true)
    #expect(found.troubles.isEmpty && found.totals.taken == 1)
    #expect(try events(path) == ["accepted"])
    #expect(try await verify().totals.verified == 1)
  }

  /// In other containers, FFmpeg finds the audio, and another version may find another range.
  @Test(
    arguments: [
      ("wav", true), ("rf64", true), ("w64", true), ("aiff", true), ("au", true), ("caf", true), ("flac", true),
      ("mp3", true), ("ogg", true), ("mp4", false), ("matroska", false), ("asf", false), ("wv", false), ("tak", false),
    ])
  func onlySteadyContainersShowOtherAudio(container: String, isSteady: Bool) async throws {
    _ = try add(original, as: "a.wav") { $0.format?.container = container }
    _ = try put(changedAudio, as: "a.wav")
    let found = try await verify()
    #expect(found.totals.changedSilently == (isSteady ? 1 : 0) && found.totals.taken == (isSteady ? 0 : 1))
    #expect(found.troubles.map(\.hit) == (isSteady ? [.audio] : []))
  }

  /// An analysis that found no audio has nothing that could be compared.
  @Test func filesWithoutAContentIDAreTaken() async throws {
    _ = try add(original, as: "a.wav") { $0.contentID = nil }
    _ = try add([UInt8](repeating: 7, count: 900), as: "b.mp3")
    _ = try put(changedAudio, as: "a.wav")
    _ = try put([UInt8](repeating: 8, count: 900), as: "b.mp3")
    let found = try await verify()
    #expect(found.totals.taken == 2 && found.totals.all == 2 && found.troubles.isEmpty)
  }

  @Test func changesOfSizeOrTimeAreLeftToTheScan() async throws {
    _ = try add(original, as: "longer.wav")
    _ = try add(original, as: "later.wav")
    let gone = try add(original, as: "gone.wav")
    _ = try put(original + [0], as: "longer.wav")
    try folder.write(changedAudio, as: "later.wav")
    try FileManager.default.removeItem(atPath: gone.string)
    let found = try await verify()
    #expect(found.totals.leftToScan == 2 && found.totals.missing == 1 && found.totals.all == 3)
    #expect(found.troubles.isEmpty)
  }

  // MARK: - Shares and stops

  /// Files are read until their bytes reach the share.
  @Test(arguments: [(0, 0), (0.01, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.51, 3), (0.75, 3), (0.76, 4), (1, 4), (2, 4)])
  func shares(share: Double, count: Int) async throws {
    for name in ["a", "b", "c", "d"] { _ = try add(original, as: "\(name).wav") }
    let planned = Mutex(-1)
    let found = try await LibraryVerification(
      store: store, request: LibraryVerification.Request(share: share, jobs: 1), control: RunControl()
    ) { if case .planned(let count) = $0 { planned.withLock { $0 = count } } }.perform(Self.plan())
    #expect(found.totals.taken == count && found.totals.all == count && !found.wasStopped)
    #expect(planned.withLock { $0 } == min(4, Int((4 * share).rounded(.up))))
  }

  @Test func onlyTheseFoldersAreRead() async throws {
    try FileManager.default.createDirectory(atPath: folder.file("x").string, withIntermediateDirectories: true)
    let paths = try ["a.wav", "x/b.wav", "x/c.wav"].map { try add(original, as: $0) }
    let found = try await LibraryVerification(
      store: store, request: LibraryVerification.Request(roots: [folder.file("x")], jobs: 1), control: RunControl()
    ) { _ in }.perform(Self.plan())
    #expect(found.totals.taken == 2)
    #expect(try paths.map { try store.checksum(at: $0) != nil } == [false, true, true])
  }

  @Test func stopsAreTold() async throws {
    let path = try add(original, as: "a.wav")
    let control = RunControl()
    control.requestStop()
    let found = try await LibraryVerification(
      store: store, request: LibraryVerification.Request(jobs: 1), control: control
    ) { _ in }.perform(Self.plan())
    #expect(found.wasStopped && found.totals.all == 0)
    #expect(try store.checksum(at: path) == nil)
  }

  // MARK: - Single files

  /// Looks at the one file of the library.
  private func look(_ control: RunControl = RunControl()) throws -> VerifiedFile.Outcome? {
    let request = LibraryVerification.Request(jobs: 1)
    let file = try #require(try VerificationSession(store: store).next(limit: 9).first)
    return try FileVerifier(plan: Self.plan(), request: request, control: control).verify(file)?.outcome
  }

  /// A file that cannot be read has not changed, whether its bytes are known or not.
  @Test(arguments: [true, false]) func unreadableFilesAreTold(hasChecksum: Bool) throws {
    let path = try add(original, as: "a.wav") {
      if hasChecksum {
        $0.checksum = FileChecksum(whole: ContentID(hashing: original), byteCount: Int64(original.count))
      }
    }
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path.string)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path.string)
    let outcome = try withoutPrivileges { try look() }
    guard case .unreadable(let reason) = outcome else {
      Issue.record("\(outcome as Any)")
      return
    }
    #expect(reason.hasSuffix(".") && reason.lowercased().contains("permi"), "\(reason)")
  }

  /// A verification that is abandoned tells nothing about the file.
  @Test(arguments: [true, false]) func abandonedFilesAreLeft(hasChecksum: Bool) throws {
    _ = try add(original, as: "a.wav") {
      if hasChecksum {
        $0.checksum = FileChecksum(whole: ContentID(hashing: original), byteCount: Int64(original.count))
      }
    }
    let control = RunControl(grace: .seconds(-1))
    guard case .some = try look(control) else {
      Issue.record("It was abandoned without a stop.")
      return
    }
    control.requestStop()
    let outcome = try look(control)
    #expect(outcome == nil, "\(outcome as Any)")
  }

  @Test func foldersInPlaceOfFilesAreLeftToTheScan() throws {
    let path = try add(original, as: "a.wav")
    try FileManager.default.removeItem(atPath: path.string)
    guard case .missing = try look() else {
      Issue.record("It is not missing.")
      return
    }
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    guard case .leftToScan = try look() else {
      Issue.record("It is not left to the scan.")
      return
    }
  }

  // MARK: - Files with a checksum of the whole file only

  /// The content id decides if the checksum has no hash of the audio.
  @Test(arguments: [StoredChecksum.Hit.audio, .tags])
  func theContentIDTellsWhatHasChanged(hit: StoredChecksum.Hit) async throws {
    let whole = FileChecksum(whole: ContentID(hashing: original), byteCount: Int64(original.count))
    let path = try add(original, as: "a.wav") { $0.checksum = whole }
    #expect(try await verify().totals.verified == 1)
    _ = try put(hit == .audio ? changedAudio : changedTags, as: "a.wav")
    let found = try await verify()
    #expect(found.totals.changedSilently == 1 && found.troubles.map(\.hit) == [hit])
    let place = hit == .audio ? "in the audio." : "in the tags or headers; the audio is untouched."
    #expect(found.troubles.first?.message.contains(place) == true)
    #expect(try events(path) == ["changed_silently \(hit.rawValue)"])
  }
}

/// Stands for the analyzer that the pipeline of the verification names.
private struct NoTags: Analyzer {
  static let id = "tags"
  static let version = 1
  static let summary = "Finds nothing."

  init(_ configuration: NoConfiguration) {}
  var feed: Feed { .file }
  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session { Session() }

  struct Session: AnalysisSession {
    struct Finding: AnalysisFinding {}

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {}
    mutating func finish() throws(AnalysisError) -> Finding { Finding() }
  }
}
