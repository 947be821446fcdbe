import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import LibraryStore
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

@testable import LibraryTasks

/// Waveforms of analyzed files.
@Suite(.bounded) struct WaveformExportTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  /// Files `a/1` and `a/b/2` with waveforms, `c/3` with one, and `d/4` without one.
  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    let waveforms = ["a/1", "a/b/2", "c/3"].map { name in
      LibraryFile(path: FilePath("/music/\(name)"), tags: [:], findings: [("waveform", Self.waveform)])
    }
    try LibraryFiles(waveforms + [LibraryFile(path: "/music/d/4", tags: [:])]).merge(into: store)
  }

  private static var waveform: WaveformFinding {
    var waveform = WaveformFinding()
    (waveform.sampleRate, waveform.samplesPerPoint, waveform.pointCount, waveform.peak) = (44_100, 256, 2, 0)
    (waveform.minima, waveform.maxima) = ([1, 64], [255, 192])
    return waveform
  }

  private static let bytes = AudiowaveformData(waveform, bits: .eight).bytes(.json)

  private func single(_ paths: FilePath...) throws -> [UInt8] {
    try WaveformExport(paths, .json, bits: .eight).single(store)
  }

  private func write(_ paths: FilePath...) throws {
    try WaveformExport(paths, .json, bits: .eight).write(store, into: folder.file("out"))
  }

  /// Names of the files in the folder, without the hidden ones.
  private var written: [String] {
    let names = try? FileManager.default.subpathsOfDirectory(atPath: folder.file("out").string)
    return (names ?? []).filter { $0.hasSuffix(".json") }.sorted()
  }

  @Test func aSingleWaveform() throws {
    #expect(try single("/music/a/1") == Self.bytes)
    for paths in [["/music/a/1", "/music/c/3"], [], ["/music/a"], ["/music/c"]] as [[FilePath]] {
      #expect(throws: WaveformExportError.severalFiles) {
        try WaveformExport(paths, .json, bits: .eight).single(store)
      }
    }
    #expect(throws: WaveformExportError.notAnalyzed("/music/d/4")) { try single("/music/d/4") }
    #expect(throws: UnknownFile.self) { try single("/music/x") }
  }

  @Test func foldersKeepTheirStructure() throws {
    try write("/music/a", "/music/c/3")
    #expect(written == ["1.json", "3.json", "b/2.json"])
    #expect(try [UInt8](Data(contentsOf: URL(filePath: folder.file("out/b/2.json").string))) == Self.bytes)
    let hidden = try FileManager.default.contentsOfDirectory(atPath: folder.file("out").string)
      .filter { $0.hasPrefix(".nocturne-export") }
    #expect(hidden.isEmpty)
  }

  @Test func errorsLeaveNothing() throws {
    #expect(throws: UnknownFile.self) { try write("/music/c", "/music/x") }
    #expect(throws: WaveformExportError.notAnalyzed("/music/d")) { try write("/music/a", "/music/d") }
    #expect(throws: WaveformExportError.sameName(folder.file("out/1.json"))) { try write("/music/a", "/music/a/1") }
    #expect(written == [])
    try write("/music/c")
    #expect(written == ["3.json"])
  }
}

/// Histories of files as text.
@Suite(.bounded) struct FileChronicleTests {
  @Test func eventsAreATable() throws {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    let file = LibraryFile(path: "/music/a", tags: [:])
    try LibraryFiles([file]).merge(into: store)
    #expect(throws: UnknownFile.self) { try FileChronicle(of: "/music/x", in: store) }
    var chronicle = try FileChronicle(of: file.path, in: store)
    #expect(!chronicle.events.isEmpty)
    let checksum = try #require(chronicle.checksum?.checksum)
    #expect(checksum.byteCount == file.sizeBytes && chronicle.stateName == "well")

    let time = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
    #expect(time.description == "2023-11-14T22:13:20Z")
    chronicle.events = [
      FileEvent(kind: .firstSeen, time: time, run: 12, detail: nil),
      FileEvent(kind: .changedSilently, time: nil, run: nil, detail: "audio"),
    ]
    let table = [
      "2023-11-14T22:13:20Z  first seen        run 12", "time unknown          changed silently  audio",
    ]
    let digests = FileChecksum.Kind.allCases.map { "\($0.rawValue)  " }
    #expect(Array(chronicle.lines.prefix(2)) == table)
    #expect(chronicle.lines[2].hasPrefix("XXH3-128  ") && chronicle.lines[2].count == 42)
    #expect(zip(chronicle.lines.dropFirst(3), digests).allSatisfy { $0.hasPrefix($1) })
    chronicle.checksum = nil
    #expect(chronicle.lines == table + ["No checksum is known; `analyze verify` computes it."])
    #expect(chronicle.stateName == "unknown")
  }

  @Test func theStateOfTheBytesComesLast() throws {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    try LibraryFiles([LibraryFile(path: "/music/a", tags: [:])]).merge(into: store)
    var chronicle = try FileChronicle(of: "/music/a", in: store)
    let time = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
    var checksum = StoredChecksum(checksum: nil)
    func last() -> String? {
      chronicle.checksum = checksum
      return chronicle.lines.count > chronicle.events.count ? chronicle.lines.last : nil
    }
    #expect(last() == nil)
    checksum.well = time
    #expect(last() == "Last known to be intact \(time).")
    checksum.state = .unreadable
    #expect(last() == "It could not be read the last time.")
    checksum.foundAt = time
    #expect(last() == "It could not be read the last time, \(time).")
    checksum.state = .changedSilently
    #expect(
      last() == "Its bytes have changed, but not its size and times, in the file; last known to be intact \(time).")
    (checksum.hit, checksum.well) = (.tags, nil)
    #expect(last() == "Its bytes have changed, but not its size and times, in the tags.")
    #expect(chronicle.stateName == "changed_silently")
  }
}
