import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@testable import LibraryScan

@Suite(.bounded) struct PathListTests {
  let library: TemporaryLibrary

  init() throws { library = try TemporaryLibrary() }

  @Test func readsLines() throws {
    #expect(try read("a.mp3\n\n/b c.mp3 \nd\r\n", .newline) == ["a.mp3", "/b c.mp3 ", "d\r"])
    #expect(try read("no end", .newline) == ["no end"])
    #expect(try read("", .newline).isEmpty)
    #expect(try read("\n\n", .newline).isEmpty)
  }

  @Test func readsPathsSeparatedByNUL() throws {
    #expect(try read("a\nb.mp3\0c.mp3\0", .null) == ["a\nb.mp3", "c.mp3"])
  }

  @Test func readsListsLongerThanItsBuffer() throws {
    let paths = (0..<1_000).map { "/music/x\(String(repeating: "x", count: $0 % 200))/\($0).mp3" }
    #expect(try read(paths.joined(separator: "\n"), .newline) == paths)
    #expect(try read(paths.joined(separator: "\0") + "\0", .null) == paths)
  }

  @Test func invalidUTF8IsKept() throws {
    let path = library["list"]
    let file = try FileDescriptor.open(path, .writeOnly, options: [.create], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll([0x61, 0xFF, 0xFE, 0x0A]) }
    var list = try PathList(at: path, separator: .newline)
    #expect(try list.next()?.bytes == [0x61, 0xFF, 0xFE])
    #expect(try list.next() == nil)
  }

  @Test func aWrongSeparatorIsReported() throws {
    #expect(throws: ScanError.self) { try read("a.mp3\0b.mp3\0", .newline) }
    #expect(throws: ScanError.self) { try read(String(repeating: "a.mp3\n", count: 50_000), .null) }
    #expect(throws: ScanError.self) { _ = try PathList(at: library["gone"], separator: .newline) }
    #expect(throws: ScanError.self) { try read(nil, .newline) }
  }

  @Test func feedsAWalk() throws {
    try library.file("a.mp3")
    try library.file("folder/b.mp3")
    try library.file("list", "\(library["folder"])\n\(library["gone.mp3"])\n\(library["a.mp3"])\n")
    var list = try PathList(at: library["list"], separator: .newline)
    var walker = LibraryWalker { () throws(ScanError) in try list.next() }
    var files: [FilePath] = []
    var roots: [RootReport.State] = []
    while let entry = try walker.next() {
      if case .file(let file) = entry { files.append(file.path) }
      if case .root(let root) = entry { roots.append(root.state) }
    }
    #expect(files == [library["folder/b.mp3"], library["a.mp3"]])
    #expect(roots == [.missing, .single, .scanned(fileCount: 1)])
  }

  /// Reads a list with this content; for `nil`, a folder in place of a list.
  private func read(_ content: String?, _ separator: PathList.Separator) throws -> [String] {
    let path = library["list"]
    if let content { try library.file("list", content) }
    var list = try PathList(at: content == nil ? library.root : path, separator: separator)
    var paths: [String] = []
    while let path = try list.next() { paths.append(path.string) }
    return paths
  }
}
