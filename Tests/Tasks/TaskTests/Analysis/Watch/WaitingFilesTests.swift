import AnalysisTesting
import Foundation
import LibraryScan
import SystemPackage
import Testing

@testable import AnalysisTasks

@Suite(.bounded) struct WaitingFilesTests {
  private let folder: TemporaryDirectory
  private let root: FilePath
  private let start = ContinuousClock.now

  init() throws {
    folder = try TemporaryDirectory()
    root = folder.file("music")
    for name in ["a/x.flac", "a/b/y.flac", "c/z.flac"] { try put(name) }
  }

  private func put(_ name: String) throws {
    let path = root.appending(name)
    try FileManager.default.createDirectory(
      atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: path.string, contents: Data([0])))
  }

  private func waiting() -> WaitingFiles {
    WaitingFiles([root], CandidateRule(), quietPeriod: .seconds(10))
  }

  @Test func filesWaitUntilTheyAreQuiet() {
    var files = waiting()
    files.add([root.appending("a/x.flac")], at: start)
    #expect(files.takeDue(at: start + .seconds(9)) == nil)
    files.add([root.appending("a/x.flac")], at: start + .seconds(9))
    #expect(files.takeDue(at: start + .seconds(18)) == nil)
    #expect(files.takeDue(at: start + .seconds(19)) == [root.appending("a")])
    #expect(files.count == 0)
  }

  @Test func aFolderWithinAnotherIsNotLookedThroughTwice() {
    var files = waiting()
    files.add([root.appending("a/x.flac"), root.appending("a/b/y.flac"), root.appending("c/z.flac")], at: start)
    #expect(files.takeDue(at: start + .seconds(10)).map(Set.init) == [root.appending("a"), root.appending("c")])
  }

  @Test func aFolderWithoutAudioIsLookedThroughFromAbove() throws {
    var files = waiting()
    try FileManager.default.removeItem(atPath: root.appending("a/b").string)
    files.add([root.appending("a/b")], at: start)
    #expect(files.takeDue(at: start + .seconds(10)) == [root.appending("a")])
    try FileManager.default.removeItem(atPath: root.appending("c/z.flac").string)
    files.add([root.appending("c/z.flac")], at: start)
    #expect(files.takeDue(at: start + .seconds(10)) == [root])
  }

  @Test func whatIsIgnoredAboveCounts() throws {
    var files = waiting()
    try put(".nocturneignore")
    files.add([root.appending("a/b/y.flac")], at: start)
    #expect(files.takeDue(at: start + .seconds(10)) == [root])
  }

  @Test func allIsDueAtOnce() {
    var files = waiting()
    files.addAll(at: start)
    #expect(files.takeDue(at: start) == [root])
  }

  /// A rule in the folder itself does not prevent a separate scan of it.
  @Test func whatIsIgnoredWithinAFolderDoesNotCount() throws {
    var files = waiting()
    try put("a/b/.nocturneignore")
    files.add([root.appending("a/b/y.flac")], at: start)
    #expect(files.takeDue(at: start + .seconds(10)) == [root.appending("a/b")])
  }

  @Test func filesBelowNoRootAreForgotten() throws {
    var files = waiting()
    try put("../other/x.flac")
    files.add([folder.file("other/x.flac")], at: start)
    #expect(files.takeDue(at: start + .seconds(10)) == nil && files.count == 0)
  }

  @Test func theInnermostRootIsLookedThrough() {
    let inner = root.appending("a/b")
    for roots in [[root, inner], [inner, root]] {
      var files = WaitingFiles(roots, CandidateRule(), quietPeriod: .seconds(10))
      files.add([inner.appending("none/gone.flac")], at: start)
      #expect(files.takeDue(at: start + .seconds(10)) == [inner])
    }
  }

  @Test(arguments: [50, 51]) func manyFoldersAreLookedThroughTogether(count: Int) throws {
    let names = (0..<count).map { "many/\($0)/x.flac" }
    for name in names { try put(name) }
    var files = waiting()
    files.add(Set(names.map { root.appending(FilePath($0).components) }), at: start)
    let due = files.takeDue(at: start + .seconds(10))
    #expect(count == 50 ? due?.count == 50 && due?.contains(root) == false : due == [root])
    #expect(files.count == 0)
  }
}
