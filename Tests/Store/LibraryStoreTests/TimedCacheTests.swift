import AnalysisTesting
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

@testable import LibraryStore

/// Cached values, and files that are not in the database.
@Suite(.bounded) struct TimedCacheTests {
  private let library: ScannedLibrary

  init() throws {
    library = try ScannedLibrary()
  }

  private func change() throws { try library.store.save(.album, ids: ["\(Timestamp.now.nanoseconds)"]) }

  private func cache(count: Int = 8, maxAge: Duration) throws -> TimedCache<Int, Int> {
    try TimedCache(of: library.store, count: count, maxAge: maxAge)
  }

  @Test func valuesAreMadeOnceUntilTheLibraryChanges() throws {
    let cache = try cache(maxAge: .zero)
    var calls = 0
    func value() -> Int {
      cache.value(for: 1) {
        calls += 1
        return calls
      }
    }
    #expect(value() == 1 && value() == 1)
    try change()
    #expect(value() == 2 && value() == 2)
    try change()
    #expect(value() == 3 && value() == 3 && calls == 3)
  }

  /// While the library keeps changing, values are kept until they are too old.
  @Test func youngValuesSurviveChanges() throws {
    let cache = try cache(maxAge: .seconds(3600))
    #expect(cache.value(for: 1) { 10 } == 10)
    try change()
    #expect(cache.value(for: 1) { 11 } == 10)
    let whole = try TimedCache<WholeLibrary, String>(of: library.store, count: 1, maxAge: .seconds(3600))
    #expect(whole.value { "first" } == "first" && whole.value { "second" } == "first")
  }

  /// A full cache is emptied before another value is kept.
  @Test func fullCacheIsEmptied() throws {
    let cache = try cache(count: 2, maxAge: .seconds(3600))
    #expect(cache.value(for: 1) { 10 } == 10 && cache.value(for: 2) { 20 } == 20)
    #expect(cache.value(for: 1) { 11 } == 10 && cache.value(for: 2) { 21 } == 20)
    #expect(cache.value(for: 3) { 30 } == 30 && cache.value(for: 3) { 31 } == 30)
    #expect(cache.value(for: 1) { 12 } == 12 && cache.value(for: 2) { 22 } == 22)
  }

  /// A value is not kept if the library changed, and another request noticed it, while it was computed.
  @Test func outdatedValuesAreNotKept() throws {
    let cache = try cache(maxAge: .zero)
    let first = try cache.value(for: 1) {
      try change()
      #expect(cache.value(for: 2) { 20 } == 20)
      return 10
    }
    #expect(first == 10)
    #expect(cache.value(for: 1) { 11 } == 11 && cache.value(for: 2) { 21 } == 20)
  }

  @Test func unknownFilesSayWhatToDo() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write([1], as: "a.flac")
    let missing = folder.file("none.flac")
    #expect(
      UnknownFile(file).description
        == "\(file) is not in the database. Analyze it, or the folder it is in: analyze \(file)")
    #expect(UnknownFile(missing).description == "\(missing) is not in the database. There is no such file either.")
    #expect(UnknownFile(folder.path).description == "\(folder.path) is a folder. Name a file in it.")
    #expect(
      UnknownFile(folder.path, acceptsFolders: true).description
        == "\(folder.path) is not in the database. Analyze it: analyze \(folder.path)")
  }
}
