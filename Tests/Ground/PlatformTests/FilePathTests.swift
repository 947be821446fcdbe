import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing

@Suite(.bounded) struct FilePathTests {
  private let folder: TemporaryDirectory
  private let odd = FilePath(bytes: [0xFF, UInt8(ascii: "x")])

  init() throws { folder = try TemporaryDirectory() }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.file(name).string, withDestinationPath: target)
  }

  // MARK: - Links

  @Test func linksSayWhatTheyLeadTo() throws {
    try folder.write([1], as: "file")
    try link("link", to: "file")
    try link("dead", to: "gone")
    try link("loop", to: "loop")
    #expect(folder.file("link").linkTarget == "file" && folder.file("loop").linkTarget == "loop")
    #expect(folder.file("file").linkTarget == nil && folder.file("none").linkTarget == nil)
    #expect(symlink(String(repeating: "x", count: 200), folder.file("long").string) == 0)
    #expect(folder.file("long").linkTarget?.string.count == 200)

    #expect(try folder.file("link").resolved() == folder.path.resolved().appending("file"))
    #expect(throws: Errno.noSuchFileOrDirectory) { try folder.file("dead").resolved() }
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try folder.file("loop").resolved() }
    #expect(try FilePath("").resolved() == FilePath(FileManager.default.currentDirectoryPath).resolved())

    #expect(folder.file("link").fileKind == .regular && folder.path.fileKind == .folder)
    #expect(folder.file("dead").fileKind == nil && folder.file("loop").fileKind == nil)
    #expect(folder.file("dead").exists && folder.file("loop").exists && !folder.file("none").exists)
  }

  @Test func namesOfOneFileAreKnown() throws {
    try folder.write([1], as: "file")
    try folder.write([1], as: "copy")
    try link("link", to: "file")
    try link("dead", to: "gone")
    #expect(Glibc.link(folder.file("file").string, folder.file("other").string) == 0)
    #expect(folder.file("link").isSameFile(as: folder.file("file")))
    #expect(folder.file("other").isSameFile(as: folder.file("file")))
    #expect(!folder.file("copy").isSameFile(as: folder.file("file")))
    #expect(!folder.file("dead").isSameFile(as: folder.file("dead")))
  }

  @Test func accessIsThatOfTheProcess() throws {
    try folder.write([1], as: "file")
    #expect(folder.file("file").allows(.read) && folder.file("file").allows(.write))
    #expect(!folder.file("file").allows(.run) && !folder.file("none").allows(.read))
    #expect(chmod(folder.file("file").string, 0o700) == 0)
    #expect(folder.file("file").allows(.run))
  }

  // MARK: - Folders

  @Test func foldersAreMadeWithThoseAboveThem() throws {
    let path = folder.path.pushing(odd).appending("a").appending("b")
    try path.makeFolder()
    try path.makeFolder()
    #expect(path.fileKind == .folder)
    #expect(try FolderListing.names(in: folder.path) == [odd.lastComponent])
    let own = folder.file("own").appending("x")
    try own.makeFolder(permissions: .ownerReadWriteExecute)
    #expect(try FileStatus(at: own, followingLinks: false).permissions == 0o700)
    #expect(try FileStatus(at: folder.file("own"), followingLinks: false).permissions == 0o700)
    try link("link", to: "own")
    try folder.file("link").makeFolder()
  }

  @Test func whatIsInTheWayIsNoFolder() throws {
    try folder.write([1], as: "file")
    try link("dead", to: "gone")
    #expect(throws: Errno.notDirectory) { try folder.file("file").makeFolder() }
    #expect(throws: Errno.notDirectory) { try folder.file("file").appending("x").makeFolder() }
    #expect(throws: Errno.notDirectory) { try folder.file("dead").makeFolder() }
    #expect(throws: Errno.noSuchFileOrDirectory) { try FilePath("").makeFolder() }
    #expect(chmod(folder.path.string, 0o555) == 0)
    defer { chmod(folder.path.string, 0o755) }
    withoutPrivileges {
      #expect(throws: Errno.permissionDenied) { try folder.file("new/er").makeFolder() }
    }
  }

  @Test func allIsRemovedAndNothingElse() throws {
    try folder.file("outside").makeFolder()
    try folder.write([1], as: "outside/file")
    let top = folder.file("top")
    try top.pushing(odd).appending("deep").makeFolder()
    try folder.write([1], as: "top/file")
    try link("top/link", to: "../outside")
    try link("top/loop", to: "loop")
    top.removeAll()
    folder.file("none").removeAll()
    #expect(!top.exists && folder.file("outside/file").exists)
    try link("link", to: "outside")
    folder.file("link").removeAll()
    folder.file("outside/file").removeAll()
    #expect(try FolderListing.names(in: folder.path) == ["outside"])
    #expect(try FolderListing.names(in: folder.file("outside")) == [])
  }

  @Test func temporaryFoldersGoWithAllThatIsInThem() throws {
    var temporary: TemporaryFolder? = try TemporaryFolder(in: folder.path)
    let path = try #require(temporary).path
    #expect(path.removingLastComponent() == folder.path)
    #expect(try FileStatus(at: path, followingLinks: false).permissions == 0o700)
    try path.pushing(odd).makeFolder()
    try FileReplacement.write([1], to: try #require(temporary).file("a"))
    temporary = nil
    #expect(!path.exists)
    #expect(throws: Errno.noSuchFileOrDirectory) { try TemporaryFolder(in: folder.file("none")) }
    #expect(FilePath.temporaryFolder.fileKind == .folder)
  }
}

@Suite(.bounded) struct SmallFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func filesAreReadWholeOrNotAtAll() throws {
    let bytes = [UInt8](repeating: 7, count: 100_000)
    try folder.write(bytes, as: "file")
    #expect(try SmallFile.read(folder.file("file"), limit: 100_000) == bytes)
    #expect(throws: Errno.fileTooLarge) { try SmallFile.read(folder.file("file"), limit: 99_999) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try SmallFile.read(folder.file("none"), limit: 1) }
    #expect(throws: Errno.isDirectory) { try SmallFile.read(folder.path, limit: 1) }
  }

  @Test func aPipeIsNotWaitedFor() throws {
    #expect(mkfifo(folder.file("pipe").string, 0o600) == 0)
    #expect(throws: Errno.notSupported) { try SmallFile.read(folder.file("pipe"), limit: 10) }
    #expect(try SmallFile.read(folder.file("pipe"), limit: 10, isRegular: false) == [])
  }

  /// A pipe, as in `--pipeline <(…)`.
  @Test func whatSomebodyWritesIntoAPipeIsWaitedFor() throws {
    let pipe = try FileDescriptor.pipe(options: .closeOnExec)
    defer { try? pipe.readEnd.close() }
    Thread.detachNewThread {
      usleep(50_000)
      _ = try? pipe.writeEnd.writeAll([1, 2])
      try? pipe.writeEnd.close()
    }
    #expect(try SmallFile.read(FilePath("/dev/fd/\(pipe.readEnd.rawValue)"), limit: 10, isRegular: false) == [1, 2])
  }
}
