import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing

@Suite(.bounded) struct FileReplacementTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path.string).sorted() }
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.file(name).string, encoding: .utf8)
  }

  private func mode(_ path: FilePath) throws -> mode_t {
    var status = stat()
    try #require(lstat(path.string, &status) == 0)
    return status.st_mode
  }

  @Test func theFileAppearsWhenItIsComplete() throws {
    let path = folder.file("a")
    try folder.write(Array("old".utf8), as: "a")
    let file = try FileReplacement(path)
    try file.write(Array("new".utf8))
    #expect(try text("a") == "old")
    try file.commit()
    #expect(try text("a") == "new")
    #expect(try names == ["a"])
  }

  @Test func uncommittedFilesAreRemoved() throws {
    func begin() throws {
      let file = try FileReplacement(folder.file("a"))
      try file.write([1])
      #expect(try names.count == 1)
    }
    try begin()
    #expect(try names == [])
  }

  /// The name cannot be predicted, so no link can be placed there.
  @Test func temporaryNamesDifferAndAreNewFiles() throws {
    let files = try (0..<20).map { _ in try FileReplacement(folder.file("a")) }
    #expect(Set(files.map(\.temporaryPath)).count == 20)
    for file in files {
      #expect(try mode(file.temporaryPath) & S_IFMT == S_IFREG)
      #expect(fcntl(file.descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    }
  }

  /// A link at the path is replaced, and its target does not change.
  @Test func linkIsReplaced() throws {
    try folder.write(Array("precious".utf8), as: "other")
    #expect(symlink("other", folder.file("a").string) == 0)
    try FileReplacement.write(Array("new".utf8), to: folder.file("a"))
    #expect(try text("other") == "precious")
    #expect(try text("a") == "new")
  }

  @Test(arguments: [0o600, 0o640, 0o666] as [mode_t]) func theModeIsKept(mode old: mode_t) throws {
    try folder.write([1], as: "a")
    #expect(chmod(folder.file("a").string, old) == 0)
    try FileReplacement.write([2], to: folder.file("a"))
    #expect(try mode(folder.file("a")) & 0o777 == old)
  }

  @Test func newFileFollowsTheUmask() throws {
    try FileReplacement.write([1], to: folder.file("a"))
    // Reading the umask means setting it, for all threads; the mode of an ordinary new file shows it too.
    let ordinary = creat(folder.file("b").string, 0o666)
    close(ordinary)
    #expect(try mode(folder.file("a")) == mode(folder.file("b")))
  }

  @Test func theLongestNameWorks() throws {
    let name = String(repeating: "n", count: 255)
    try FileReplacement.write([1], to: folder.file(name))
    #expect(try names == [name])
  }

  /// A path that is not a file is written to, not replaced.
  @Test func aPipeIsWrittenDirectly() throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path.string, 0o600) == 0)
    let reading = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
    defer { try? reading.close() }
    try FileReplacement.write(Array("new".utf8), to: path)
    var bytes = [UInt8](repeating: 0, count: 10)
    #expect(try bytes.withUnsafeMutableBytes { try reading.read(into: $0) } == 3)
    #expect(try mode(path) & S_IFMT == S_IFIFO)
    try FileReplacement.write([1], to: "/dev/null")
    #expect(try mode("/dev/null") & S_IFMT == S_IFCHR)
    #expect(try names == ["pipe"])
  }

  /// The case of `--output /dev/stdout >> file`: existing content stays, and the name still refers to the descriptor.
  @Test func aDescriptorIsWrittenWhereItIs() throws {
    try folder.write(Array("old ".utf8), as: "a")
    let file = try FileDescriptor.open(folder.file("a"), .writeOnly)
    defer { try? file.close() }
    try file.seek(offset: 0, from: .end)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "/dev/fd/\(file.rawValue)")
    try FileReplacement.write(Array("new".utf8), to: link)
    _ = try file.writeAll(Array(" more".utf8))
    #expect(try text("a") == "old new more")
    #expect(try mode(link) & S_IFMT == S_IFLNK)
    #expect(try names == ["a", "link"])
  }

  /// A loop leads to no descriptor, and is replaced like any other link.
  @Test func aLoopOfLinksIsReplaced() throws {
    #expect(symlink("b", folder.file("a").string) == 0 && symlink("a", folder.file("b").string) == 0)
    try FileReplacement.write(Array("new".utf8), to: folder.file("a"))
    #expect(try text("a") == "new")
    #expect(try mode(folder.file("b")) & S_IFMT == S_IFLNK)
  }

  /// A later process removes the leftovers of one that was killed while writing, but not files that may be in use.
  @Test func oldLeftoversAreRemoved() throws {
    let old = [".nocturne-0123456789abcdef.partial", ".nocturne-0123456789abcdef.partial-journal"]
    let young = ".nocturne-fedcba9876543210.partial"
    let others = [".nocturne-notes", "report.partial", ".other.partial"]
    for name in old + [young] + others { try folder.write([1], as: name) }
    #expect(symlink("a", folder.file(".nocturne-link.partial").string) == 0)
    let times = [timeval(tv_sec: time(nil) - 7_200, tv_usec: 0), timeval(tv_sec: time(nil) - 7_200, tv_usec: 0)]
    for name in old + others { #expect(utimes(folder.file(name).string, times) == 0) }
    try FileReplacement.write([1], to: folder.file("a"))
    #expect(try names == (others + [young, ".nocturne-link.partial", "a"]).sorted())
  }

  @Test func anErrorSaysWhy() throws {
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try FileReplacement.write([1], to: folder.file("none").appending("a"))
    }
    try FileManager.default.createDirectory(atPath: folder.file("folder").string, withIntermediateDirectories: true)
    #expect(throws: Errno.isDirectory) { try FileReplacement.write([1], to: folder.file("folder")) }
    #expect(try names == ["folder"])
  }
}
