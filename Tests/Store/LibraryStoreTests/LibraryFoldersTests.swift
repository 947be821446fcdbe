import AnalysisTesting
import SystemPackage
import Testing

@testable import LibraryStore
@testable import ResultStore

@Suite(.bounded) struct LibraryFoldersTests {
  private func folders(_ paths: [FilePath], given: [FilePath]) -> LibraryFolders {
    LibraryFolders(of: paths.enumerated().map { (id: Int64($0.offset), path: $0.element) }, given: given)
  }

  @Test func rootsAreWhatRunsWereGiven() {
    let found = folders(
      ["/a/one.flac", "/a/x/two.flac", "/b/c/d/three.flac", "/e/f.flac"],
      given: ["/a", "/a/x", "/b/c", "/e/f.flac", "/z"])
    #expect(found.roots.map(\.name) == ["a", "c", "e"])
    #expect(found.roots[0].files == [0] && found.roots[0].folders.count == 1)
    let inner = found.roots[1].folders.compactMap { found[$0] }
    #expect(inner.map(\.name) == ["d"] && inner[0].files == [2] && inner[0].parent == found.roots[1].id)
    #expect(inner[0].id == LibraryFolders.id(ofFolderOf: "/b/c/d/three.flac"))
    #expect(found.roots[1].cover == inner[0].cover && inner[0].cover != nil)
  }

  @Test func tracksOutsideOfThemShareARoot() {
    let found = folders(["/m/a/1.flac", "/m/b/c/2.flac", "/n/3.flac"], given: ["/n"])
    #expect(found.roots.map(\.name) == ["m", "n"])
    #expect(folders(["/1.flac", "/x/2.flac"], given: []).roots.map(\.name) == ["/"])
    #expect(folders([], given: ["/n"]).roots.isEmpty)
  }
}
