import Analysis
import AnalysisTasks
import AnalysisTesting
import BuiltInAnalyzers
import Exports
import Foundation
import LibraryScan
import Pipeline
import Platform
import Records
import ResultStore
import SystemPackage
import Testing
import Text

/// Plans of runs, and their partitions.
@Suite(.bounded) struct WorkPlanTests {
  private func planning(
    _ place: Workplace, roots: LibraryRun.Roots? = nil, only analyzers: Set<String> = ["tags", "chromaprint"],
    partitions: Int? = nil, force: Bool = false
  ) throws -> WorkPlanner {
    WorkPlanner(
      LibraryRun.Request(
        roots: roots ?? .paths([place.library]), scan: ScanOptions(force: force), plan: try place.plan(only: analyzers),
        jobs: 1, programVersion: Nocturne.version),
      database: place.database, partitionCount: partitions)
  }

  private func lines(_ plan: borrowing WorkPlan) throws -> [JSONValue] {
    var lines: [JSONValue] = []
    try plan.forEachLine { lines.append(try JSONValue(parsing: $0)) }
    return lines
  }

  private func text(_ line: JSONValue, _ member: String) -> String {
    if case .object(let members) = line, case .string(let text)? = members[member] { text } else { "" }
  }

  // MARK: - Partitions

  @Test(arguments: 0..<40 as Range<UInt64>)
  func everyFileIsInOnePartAndPartsAreEqual(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 0...500, using: &random)
    // A library may contain a ten-hour mix.
    let seconds = (0..<count).map { _ in
      Float.random(in: 0.001...1, using: &random) * (Int.random(in: 0..<50, using: &random) == 0 ? 500 : 1)
    }
    let wanted = Int.random(in: 1...40, using: &random)
    let division = WorkPartitions(seconds: seconds, count: wanted)
    let files = division.files()
    #expect(files.count == min(wanted, count))
    #expect(files.flatMap(\.self).sorted() == Array(0..<UInt32(count)))
    #expect(files.allSatisfy { !$0.isEmpty && $0 == $0.sorted() })
    let loads = files.map { $0.reduce(0) { $0 + Double(seconds[Int($1)]) } }
    guard let largest = loads.max(), let smallest = loads.min(), let longest = seconds.max() else { return }
    // Moving one file from the largest partition to the smallest would not help.
    #expect(largest - smallest <= Double(longest) + 1e-3)
    let best = max(loads.reduce(0, +) / Double(files.count), Double(longest))
    #expect(largest <= best * 4 / 3 + 1e-3)
  }

  @Test func partsOfFiveMinutesIfNobodySays() {
    #expect(WorkPartitions(seconds: Array(repeating: 10, count: 100), count: nil).count == 4)
    #expect(WorkPartitions(seconds: [0.1], count: nil).count == 1)
    #expect(WorkPartitions(seconds: [], count: nil).count == 0)
  }

  // MARK: - Planned files

  @Test func aPlanSaysWhatARunWouldDo() async throws {
    let place = try Workplace()
    for number in 1...5 { try place.put(sound(UInt64(number)), as: "\(number).wav") }
    try place.put(Array("no audio".utf8), as: "bad.mp3")
    try place.put([1], as: "cover.jpg")
    let first = try planning(place, partitions: 3).perform()
    #expect(first.fileCount == 6 && first.partitions.count == 3 && first.counts.skipped == 1)
    #expect(try lines(first).allSatisfy { text($0, "reason") == "new" && text($0, "missing") == "tags,chromaprint" })
    #expect(first.missing == ["tags": 6, "chromaprint": 6])
    _ = try await place.run(try place.analysis())

    let none = try planning(place).perform()
    #expect(none.fileCount == 0 && none.partitions.isEmpty && none.counts.cached == 5 && none.counts.knownFailures == 1)
    #expect(none.text.hasPrefix("Nothing to analyze"))

    // One file changed, one is new, one moved, and a third analyzer is requested.
    try place.put(sound(9) + [0], as: "1.wav")
    try place.put(sound(8), as: "new.wav")
    try FileManager.default.moveItem(
      atPath: place.library.appending("2.wav").string, toPath: place.library.appending("moved.wav").string)
    let second = try planning(place, only: ["tags", "chromaprint", "key"], partitions: 2).perform()
    let planned = try Dictionary(
      uniqueKeysWithValues: lines(second).map {
        (
          FilePath(text($0, "display_path")).lastComponent?.string ?? "",
          "\(text($0, "reason")): \(text($0, "missing"))"
        )
      })
    #expect(
      planned == [
        "1.wav": "changed: tags,key,chromaprint", "new.wav": "new: tags,key,chromaprint", "moved.wav": "outdated: key",
        "3.wav": "outdated: key", "4.wav": "outdated: key", "5.wav": "outdated: key",
      ])
    let dry = try await place.run(try place.analysis(isDryRun: true, only: ["tags", "chromaprint", "key"]))
    #expect(second.counts == dry.outcome.run.scan)
    let forced = try planning(place, force: true).perform()
    #expect(forced.fileCount == 7)
  }

  @Test func plansOfTheSameAreTheSame() async throws {
    let place = try Workplace()
    for number in 1...4 { try place.put(sound(UInt64(number)), as: "\(number).wav") }
    let first = try planning(place, partitions: 2).perform().id
    #expect(try planning(place, partitions: 2).perform().id == first)
    #expect(try planning(place, partitions: 3).perform().id != first)
    #expect(try planning(place, only: ["tags"], partitions: 2).perform().id != first)
    try place.put(sound(7) + [0, 0], as: "1.wav")
    #expect(try planning(place, partitions: 2).perform().id != first)
  }

  @Test func aFileNamedTwiceIsPlannedOnce() async throws {
    let place = try Workplace()
    let path = try place.put(sound(1), as: "a.wav")
    let twice = LibraryRun.Roots.paths([path, place.library, path])
    #expect(try planning(place, roots: twice).perform().fileCount == 1)
    _ = try await place.run(try place.analysis(only: ["tags"]))
    #expect(try planning(place, roots: twice).perform().fileCount == 1)
  }

  // MARK: - Listings

  private func listing(_ place: Workplace, _ text: String) throws -> LibraryRun.Roots {
    let file = try FileDescriptor.open(try place.folder.write(Array(text.utf8), as: "list.csv"), .readOnly)
    nonisolated(unsafe) let listing = try FileListing(
      reading: file, rule: CandidateRule(), workingFolder: place.library)
    return .listing { try listing.next() }
  }

  @Test func aListingStandsForALookAtTheFiles() async throws {
    let place = try Workplace()
    let a = try place.put(sound(1), as: "a.wav")
    let odd = place.library.pushing(FilePath(bytes: [UInt8(ascii: "o"), 0xE9] + Array(".wav".utf8)))
    try FileReplacement.write(sound(2), to: odd)
    _ = try await place.run(try place.analysis())
    func row(_ path: FilePath, size: Int64? = nil) throws -> String {
      let status = try FileStatus(at: path, followingLinks: true)
      let fraction = String(status.modified.nanoseconds % 1_000_000_000)
      let digits = String(repeating: "0", count: 9 - fraction.count) + fraction
      return "\(path.uri),\(size ?? status.size),\(status.modified.seconds).\(digits)0,x\n"
    }
    let header = "URI,size_bytes,modified,owner\n"
    let unchanged = try planning(place, roots: listing(place, header + row(a) + row(odd))).perform()
    #expect(unchanged.fileCount == 0 && unchanged.counts.cached == 2)
    let more = try header + row(a) + row(odd, size: 99) + "file:///no/cover.jpg,1,1\nfile:///no/where.mp3,3000000,1.5\n"
    let changed = try planning(place, roots: listing(place, more)).perform()
    #expect(try lines(changed).map { text($0, "uri") }.sorted() == ["file:///no/where.mp3", odd.uri].sorted())
    #expect(changed.counts.changed == 1 && changed.counts.new == 1 && changed.counts.skipped == 1)
    // Files that are not in a listing do not count as vanished.
    #expect(changed.counts.vanished == 0)
  }

  @Test(arguments: [
    ("", "no header row"), ("path,size\n", "must name the columns"),
    ("path,size_bytes,modified\na.mp3,x,1\n", "Line 2"), ("path,size_bytes,modified\na.mp3,1,yesterday\n", "modified"),
    ("uri,size_bytes,modified\nftp://a/b.mp3,1,1\n", "only file:"),
    ("uri,size_bytes,modified\ns3://a/,1,1\n", "names no object"),
    ("path,size_bytes,modified\n,1,1\n", "names no file"),
  ])
  func badListingsAreNamed(text: String, reason: String) throws {
    let place = try Workplace()
    do {
      _ = try planning(place, roots: listing(place, text)).perform()
      Issue.record("a plan was made")
    } catch let problem as FileListing.Problem {
      #expect(problem.description.contains(reason), "\(problem)")
    }
  }

  // MARK: - The table

  @Test func theTableHasARowGroupForEachPartition() throws {
    let place = try Workplace()
    for number in 1...7 { try place.put(sound(UInt64(number)), as: "é\(number).wav") }
    let plan = try planning(place, partitions: 3).perform()
    let folder = place.folder.file("plan")
    try plan.write(to: folder)
    let file = try FileDescriptor.open(folder.appending("files.parquet"), .readOnly)
    defer { try? file.close() }
    var reader = try ParquetTextReader(file, column: "uri")
    var uris: [String] = []
    while let uri = try reader.next() { uris.append(String(decoding: uri, as: UTF8.self)) }
    #expect(uris == (try lines(plan).map { text($0, "uri") }))
    let summary = try JSONValue(
      parsing: Array(Data(contentsOf: URL(filePath: folder.appending("plan.json").string))))
    guard case .object(let members) = summary, case .array(let parts)? = members["partitions"] else {
      Issue.record("no partitions")
      return
    }
    let groups = parts.map { part -> [JSONValue?] in
      if case .object(let members) = part { [members["first_row_group"], members["row_groups"]] } else { [] }
    }
    #expect(groups == (0..<3).map { number -> [JSONValue?] in [.integer(number), .integer(1)] })
    // A second plan replaces the first one, but no other files.
    try plan.write(to: folder)
    try Array("mine".utf8).withUnsafeBytes { bytes in
      try Data(bytes).write(to: URL(filePath: folder.appending("plan.json").string))
    }
    #expect(throws: ExportError.self) { try plan.write(to: folder) }
  }

  // MARK: - Costs

  @Test func costsAreThoseThatWereMeasured() throws {
    let root = Repository.url()
    let counts = try JSONValue(parsing: Array(Data(contentsOf: root.appending(path: "Benchmarks/instructions.json"))))
    func millions(_ name: String) -> Double {
      guard case .object(let members) = counts, case .object(let all)? = members["instructions"],
        case .integer(let count)? = all[name]
      else { return .nan }
      return Double(count) / 1e6
    }
    /// Duration of the measured audio in seconds.
    let length = 30.0
    /// Within a tenth, or a hundredth of the total: a measured difference may be zero or negative.
    func isNear(_ known: Double, _ measured: Double) -> Bool { abs(known - measured) <= max(0.1 * measured, 0.3) }
    for (kind, known) in WorkEstimate.decoding {
      #expect(isNear(known, millions("decoding \(kind)") / length), "\(kind)")
    }
    for (id, known) in WorkEstimate.analyzers { #expect(isNear(known, millions("analyzer \(id)") / length), "\(id)") }
    // Analyzers outside the default pipeline count as unknown.
    let others: Set = ["tags", "health", "origin"]
    #expect(Set(WorkEstimate.analyzers.keys) == Set(BuiltInAnalyzers.all.map(\.id)).subtracting(others))
    let everything = (millions("default pipeline") - millions("first file")) / length
    #expect(isNear(WorkEstimate.allAnalyzers, everything - millions("decoding wav") / length))
    #expect(isNear(WorkEstimate.perFile, millions("file of a second") - everything))
  }

  @Test func longerFilesAndMoreAnalyzersCostMore() throws {
    let place = try Workplace()
    let estimate = WorkEstimate(try place.plan(only: nil))
    let all = BuiltInAnalyzers.all.map(\.id)
    func cost(_ name: FilePath, size: Int64 = 4_000_000, duration: Double? = nil, missing: [String]) -> Double {
      estimate.seconds(name, sizeBytes: size, codec: nil, duration: duration, missing: missing)
    }
    #expect(cost("a.mp3", duration: 600, missing: all) > 1.9 * cost("a.mp3", duration: 300, missing: all))
    #expect(cost("a.mp3", missing: ["tags"]) == cost("a.mp3", size: 1 << 40, duration: 1e6, missing: ["tags"]))
    #expect(cost("a.mp3", missing: all) > cost("a.mp3", missing: ["tempo"]))
    // The same number of bytes is less audio in a lossless file.
    #expect(cost("a.flac", missing: all) < cost("a.mp3", missing: all))
    #expect(cost("a.mp3", duration: .nan, missing: all) == cost("a.mp3", missing: all))
  }
}
