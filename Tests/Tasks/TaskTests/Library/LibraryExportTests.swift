import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Filters
import Foundation
import LibraryStore
import LibraryTesting
import Platform
import Records
import ResultStore
import Synchronization
import SystemPackage
import Testing

@testable import Exports
@testable import LibraryTasks

/// Exports in a format that only remembers what it is given.
@Suite(.bounded) struct LibraryExportTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore
  private let notes = Notes()

  /// A whole file `a`, a damaged one `b`, a failed one `c`, and a skipped picture.
  private static let files = [
    LibraryFile(path: "/music/a", tags: ["genre": ["one"]]), damaged("/music/b"), failed("/music/c"),
  ]
  private static let skipped = [SkippedFile(path: "/music/d.jpg", code: "not_audio", message: "It is a picture.")]

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
  }

  private static func damaged(_ path: FilePath) -> LibraryFile {
    var file = LibraryFile(path: path, tags: ["genre": ["two"]])
    file.damage = Problem(stage: .decode, code: "truncated", message: "It is cut off.")
    return file
  }

  private static func failed(_ path: FilePath) -> LibraryFile {
    LibraryFile(path: path, tags: [:], failure: Problem(stage: .open, code: "empty", message: "It is empty."))
  }

  private func run(without gone: Set<FilePath> = []) throws {
    try LibraryFiles(Self.files).run(
      in: store, root: "/music", without: gone, skipping: Self.skipped, analyzed: .now)
  }

  private func format(_ change: (inout NotingFormat) -> Void = { _ in }) -> NotingFormat {
    var format = NotingFormat(notes: notes)
    change(&format)
    return format
  }

  @Test func failedFilesAreOnlyForFormatsOfChecksums() throws {
    try run()
    let plain = try LibraryExport(format(), to: nil).perform(store)
    #expect(notes.appended.map(\.path) == ["/music/a", "/music/b"])
    #expect(notes.appended.allSatisfy { $0.runs != nil && $0.checksum == nil })
    #expect(plain.recordCount == 2 && plain.removalCount == 0 && plain.skippedCount == 0 && !plain.isIncremental)
    #expect(plain.omissions.count == 2 && plain.files == [])
    let context = try #require(notes.contexts.first)
    #expect(context.output == nil && !context.isIncremental && context.trackCount == 2)
    #expect(context.filter == .everything)

    let whole = try LibraryExport(format { $0.needsChecksums = true }, to: nil).perform(store)
    #expect(notes.appended.map(\.path).suffix(3) == ["/music/a", "/music/b", "/music/c"])
    #expect(whole.recordCount == 3 && whole.skippedCount == 1)
    #expect(LibraryExport.Outcome(files: [], recordCount: 0, removalCount: 0, isIncremental: false).skippedCount == 0)
  }

  @Test func filtersAndPathsSelect() throws {
    try run()
    let filter = try TrackFilter(parsing: "genre:two")
    #expect(try LibraryExport(format(), to: nil, filter: filter).perform(store).recordCount == 1)
    #expect(notes.contexts.last?.filter == filter && notes.appended.last?.path == "/music/b")
    // Paths are no part of a filter.
    #expect(try LibraryExport(format(), to: nil, roots: ["/music/a"]).perform(store).recordCount == 1)
    #expect(notes.contexts.last?.filter == nil && notes.appended.last?.path == "/music/a")
  }

  @Test func anExportOfNothingHasToBeAskedFor() throws {
    try run()
    let none = try TrackFilter(parsing: "genre:three")
    let output = folder.file("out")
    func export(_ format: NotingFormat, since: Since? = nil, force: Bool = false) throws -> Int {
      try LibraryExport(
        format, to: output, filter: none, since: since, overwriting: OverwriteRule(allowsOthers: force)
      ).perform(store).recordCount
    }
    let tree = format { $0.output = .tree }
    #expect(throws: ExportError.nothingSelected) { try export(tree) }
    #expect(!output.exists && notes.contexts.isEmpty)
    #expect(try export(tree, force: true) == 0)
    #expect(try export(format { ($0.output, $0.isRule) = (.tree, true) }) == 0)
    #expect(try export(tree, since: .point(.time(.now))) == 0)
    #expect(notes.contexts.map(\.isIncremental) == [false, false, true])
  }

  /// Files in object stores are left out of formats that need the files themselves.
  @Test func objectsAreNotFiles() throws {
    let object = LibraryFile(path: "s3:/bucket/a.flac", tags: [:])
    try LibraryFiles([object]).merge(into: store)
    let needy = format { $0.needsFiles = true }
    #expect(throws: ExportError.nothingSelected) { try LibraryExport(needy, to: nil).perform(store) }
    #expect(try LibraryExport(format(), to: nil).perform(store).recordCount == 1)
    try run()
    let outcome = try LibraryExport(needy, to: nil).perform(store)
    #expect(outcome.recordCount == 2 && notes.appended.suffix(2).map(\.path) == ["/music/a", "/music/b"])
  }

  @Test func changesFollowTheLastExport() throws {
    try LibraryFiles([LibraryFile(path: "s3:/bucket/a.flac", tags: [:])]).merge(into: store)
    try run()
    let output = folder.file("out.txt")
    let first = try LibraryExport(format(), to: output).perform(store)
    let cursor = CursorFile(besideFile: output)
    #expect(first.files == [output, cursor.path] && cursor.path == folder.file("out.txt.cursor.json"))
    #expect(try cursor.read() != nil)

    let since = Since.cursor(cursor.path)
    let nothing = try LibraryExport(format(), to: output, since: since).perform(store)
    #expect(nothing.isIncremental && nothing.recordCount == 0 && nothing.removalCount == 0)

    try run(without: ["/music/a"])
    let copy = try Data(contentsOf: URL(filePath: cursor.path.string))
    for needsFiles in [false, true] {
      try copy.write(to: URL(filePath: cursor.path.string))
      let outcome = try LibraryExport(format { $0.needsFiles = needsFiles }, to: output, since: since).perform(store)
      // The failed file has no track that could be exported.
      #expect(outcome.removalCount == 2 && outcome.isIncremental)
      #expect(notes.removed.suffix(2) == ["/music/a", "/music/c"])
      #expect(outcome.files == [output, cursor.path])
    }
    // The cursor has moved on.
    #expect(try LibraryExport(format(), to: output, since: since).perform(store).removalCount == 0)
  }

  @Test func objectsThatAreGoneAreNoRemovedFiles() throws {
    let object = LibraryFile(path: "s3:/bucket/a.flac", tags: ["genre": ["gone"]])
    try LibraryFiles([object]).merge(into: store)
    let cursor = folder.file("cursor.json")
    _ = try LibraryExport(format { $0.output = .tree }, to: folder.path).perform(store)
    // Another genre, so that the filter no longer finds it.
    var other = LibraryFile(path: object.path, tags: ["genre": ["new"]])
    other.modified = Timestamp(nanoseconds: 2_000_000_000)
    try LibraryFiles([other]).merge(into: store)
    let filter = try TrackFilter(parsing: "genre:gone")
    func removals(needsFiles: Bool) throws -> Int {
      try LibraryExport(format { $0.needsFiles = needsFiles }, to: nil, filter: filter, since: .cursor(cursor))
        .perform(store).removalCount
    }
    #expect(try removals(needsFiles: false) == 1 && removals(needsFiles: true) == 0)
    #expect(notes.removed == [object.path])
  }

  @Test func progressIsToldNowAndThen() throws {
    try LibraryFiles((0..<65).map { LibraryFile(path: FilePath("/music/\($0)"), tags: [:]) }).merge(into: store)
    var fractions: [Double] = []
    #expect(try LibraryExport(format(), to: nil).perform(store) { fractions.append($0) }.recordCount == 65)
    #expect(fractions == [64.0 / 65.0])
  }

  // MARK: The place

  @Test func foldersAreMadeAndFilesAreNot() throws {
    try run()
    let tree = try LibraryExport(format { $0.output = .tree }, to: folder.file("new/tree")).perform(store)
    #expect(folder.file("new/tree").fileKind == .folder)
    #expect(tree.files == [folder.file("new/tree"), folder.file("new/tree/cursor.json")])
    #expect(folder.file("new/tree/cursor.json").exists)
    _ = try LibraryExport(format(), to: folder.file("file")).perform(store)
    #expect(!folder.file("file").exists && folder.file("file.cursor.json").exists)
    // A device is no place to continue from.
    let null = try LibraryExport(format(), to: "/dev/null").perform(store)
    #expect(null.files == ["/dev/null"])
    #expect(try LibraryExport(format(), to: nil).perform(store).files == [])
  }

  @Test func filesOfOthersAreKept() throws {
    try run()
    let output = try folder.write(Array("mine".utf8), as: "out.txt")
    func isRefused(_ format: NotingFormat, to output: FilePath, force: Bool = false) throws -> Bool {
      do {
        _ = try LibraryExport(format, to: output, overwriting: OverwriteRule(allowsOthers: force)).perform(store)
        return false
      } catch ExportError.refused {
        return true
      }
    }
    #expect(try isRefused(format(), to: output))
    #expect(!folder.file("out.txt.cursor.json").exists && notes.contexts.isEmpty)
    #expect(try !isRefused(format(), to: output, force: true))
    // With the cursor beside it, it is known, unless the format has a mark of its own.
    #expect(try !isRefused(format(), to: output))
    let marked = format { $0.mark = "by Nocturne" }
    #expect(try isRefused(marked, to: output))
    try folder.write(Array("made by Nocturne".utf8), as: "out.txt")
    #expect(try !isRefused(marked, to: output))
    // A cursor that is none.
    try folder.write(Array("{}".utf8), as: "out.txt.cursor.json")
    #expect(try isRefused(marked, to: output) && !isRefused(marked, to: output, force: true))

    // Files that an export to a folder always contains.
    let tables = format { $0.output = .folder(files: ["tracks.csv"]) }
    try folder.file("tables").makeFolder()
    #expect(try !isRefused(tables, to: folder.file("tables")))
    try folder.write([1], as: "tables/other.csv")
    #expect(try !isRefused(tables, to: folder.file("tables")))
    try folder.write([1], as: "tables/tracks.csv")
    #expect(try isRefused(tables, to: folder.file("tables")))
  }
}

/// The records and removals that exports have given to a format.
private final class Notes: Sendable {
  private struct State {
    var contexts: [ExportContext] = []
    var appended: [FileRecord] = []
    var removed: [FilePath] = []
  }

  private let state = Mutex(State())

  var contexts: [ExportContext] { state.withLock { $0.contexts } }
  var appended: [FileRecord] { state.withLock { $0.appended } }
  var removed: [FilePath] { state.withLock { $0.removed } }

  func note(_ context: ExportContext) { state.withLock { $0.contexts.append(context) } }
  func note(_ record: FileRecord) { state.withLock { $0.appended.append(record) } }
  func note(removed path: FilePath) { state.withLock { $0.removed.append(path) } }
}

/// A format that writes nothing, and counts every file as an omission.
private struct NotingFormat: ExportFormat {
  let notes: Notes
  var name = "notes"
  var abstract = "Notes"
  var output = ExportOutput.file(extension: "txt")
  var needsChecksums = false
  var needsFiles = false
  var isRule = false
  var mark: String?

  init(notes: Notes) { self.notes = notes }

  func begin(_ context: ExportContext) -> any ExportWriter {
    notes.note(context)
    return Writer(notes: notes, output: context.output)
  }

  private struct Writer: ExportWriter {
    let notes: Notes
    let output: FilePath?
    var omissions = ExportOmissions()

    mutating func append(_ record: FileRecord) {
      notes.note(record)
      omissions.add(record.path, reason: "Nothing is written.")
    }

    mutating func remove(_ removal: ExportRemoval) { notes.note(removed: removal.path) }

    mutating func finish() -> [FilePath] { output.map { [$0] } ?? [] }
  }
}
