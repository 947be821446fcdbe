import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@testable import LibraryScan

/// Files that are named directly, and what the system says about single paths.
@Suite(.bounded) struct NamedFileTests {
  let library: TemporaryLibrary

  init() throws { library = try TemporaryLibrary() }

  private func reason(_ name: String, _ options: LibraryWalker.Options = .init()) -> SkipReason? {
    guard case .skipped(let entry) = LibraryWalker.look(at: library[name], options: options) else { return nil }
    #expect(entry == SkippedEntry(path: library[name], reason: entry.reason, isFolder: false, detail: nil))
    return entry.reason
  }

  private func file(_ name: String, _ options: LibraryWalker.Options = .init()) -> FilePath? {
    if case .file(let file) = LibraryWalker.look(at: library[name], options: options) { file.path } else { nil }
  }

  @Test func namesAreJudgedAsInAWalk() throws {
    for name in ["song.mp3", ".hidden.mp3", "cover.jpg", "odd.xyz", "song.mp3.part", "folder/in.mp3"] {
      try library.file(name)
    }
    try library.fifo("fifo.mp3")
    #expect(file("song.mp3") == library["song.mp3"])
    #expect(file("folder/in.mp3") == library["folder/in.mp3"])
    #expect(LibraryWalker.look(at: library["folder"]) == .folder)
    #expect(reason(".hidden.mp3") == .hidden)
    #expect(reason("cover.jpg") == .notAudio)
    #expect(reason("odd.xyz") == .unknownKind)
    #expect(reason("song.mp3.part") == .unfinishedDownload)
    #expect(reason("fifo.mp3") == .fifo)
    #expect(file("odd.xyz", .init(candidates: CandidateRule(acceptsUnknownKinds: true))) == library["odd.xyz"])
    #expect(LibraryWalker.look(at: "/dev/null") == .skipped(SkippedEntry(path: "/dev/null", reason: .device)))
  }

  @Test func linksAreFollowedUnlessTheyMustNotBe() throws {
    try library.file("song.mp3")
    try library.folder("folder")
    try library.link("link.mp3", to: "song.mp3")
    try library.link("gone.mp3", to: "nowhere.mp3")
    try library.link("inside.mp3", to: "song.mp3/x")
    try library.link("self.mp3", to: "self.mp3")
    let strict = LibraryWalker.Options(followsLinks: false)
    #expect(file("link.mp3") == library["link.mp3"])
    #expect(reason("link.mp3", strict) == .linkNotFollowed)
    #expect(file("song.mp3", strict) == library["song.mp3"])
    #expect(reason("gone.mp3") == .danglingLink)
    #expect(reason("inside.mp3") == .danglingLink)
    #expect(reason("self.mp3") == .linkLoop)
  }

  @Test func filesThatCannotBeReachedSayWhy() throws {
    try library.file("song.mp3")
    try library.file("closed/song.mp3")
    try library.setMode("closed", 0)
    defer { try? library.setMode("closed", 0o755) }
    try library.setMode("", 0o755)
    for name in ["none.mp3", "song.mp3/x.mp3"] {
      #expect(LibraryWalker.look(at: library[name]) == .unreachable("There is no such file."))
    }
    let closed = withoutPrivileges { LibraryWalker.look(at: library["closed/song.mp3"]) }
    #expect(closed == .unreachable("It cannot be accessed: Permission denied."))
    #expect(reason(String(repeating: "x/", count: 2_100)) == .pathTooLong)
  }

  @Test func filesInProgressWait() throws {
    try library.file("song.mp3")
    #expect(reason("song.mp3", .init(quietPeriod: .seconds(600))) == .stillChanging)
    #expect(file("song.mp3", .init(quietPeriod: .nanoseconds(1))) == library["song.mp3"])
  }

  // MARK: - Status

  @Test func onlyRegularFilesHaveAStatus() throws {
    try library.file("song.mp3")
    try library.link("link.mp3", to: "song.mp3")
    try library.folder("folder")
    let file = try #require(ScannedFile(lookingAt: library["song.mp3"]))
    let link = try #require(ScannedFile(lookingAt: library["link.mp3"]))
    #expect(link.path == library["link.mp3"])
    #expect(link.inode == file.inode && link.size == 5)
    #expect(ScannedFile(lookingAt: library["folder"]) == nil)
    #expect(ScannedFile(lookingAt: library["none"]) == nil)
    #expect(file.hasChanged(within: .seconds(600)))
    #expect(!file.hasChanged(within: .zero))
  }

  /// A mount point without its disk may contain a hidden file.
  @Test func foldersOfHiddenFilesAreEmpty() throws {
    try library.folder("empty")
    try library.file("hidden/.directory")
    try library.file("full/.directory")
    try library.file("full/song.mp3")
    #expect(FolderStatus(at: library["empty"])?.isEmpty == true)
    #expect(FolderStatus(at: library["hidden"])?.isEmpty == true)
    #expect(FolderStatus(at: library["full"])?.isEmpty == false)
    #expect(FolderStatus(at: library["none"])?.isEmpty == nil)
  }

  @Test func onlyUnreadableEntriesAreFailures() {
    #expect(SkipReason.allCases.filter(\.isFailure) == [.unreadableFolder, .unreadableEntry])
  }

  @Test func quietPeriodsHaveFractionsAndAnEnd() throws {
    let now = Timestamp(seconds: 1_795_000_000, nanoseconds: 0)
    let long = Timestamp(seconds: 1, nanoseconds: 0)
    let period = try #require(QuietPeriod(.milliseconds(1_500), before: now))
    for (milliseconds, isQuiet) in [(-1_500, true), (-1_501, false), (1_500, true), (1_501, false)] as [(Int64, Bool)] {
      let time = Timestamp(nanoseconds: now.nanoseconds + milliseconds * 1_000_000)
      #expect(period.contains(time, long) == isQuiet, "\(milliseconds)")
      #expect(period.contains(long, time) == isQuiet, "\(milliseconds)")
    }
    // Longer periods count as 1e9 seconds, so that no sum overflows.
    let endless = try #require(QuietPeriod(.seconds(Int64.max), before: now))
    #expect(endless.contains(Timestamp(seconds: 795_000_000, nanoseconds: 0), long))
    #expect(!endless.contains(Timestamp(seconds: 794_999_999, nanoseconds: 0), long))
  }

  // MARK: - Paths

  @Test func pathBuffersGrowAndShrink() {
    var root = PathBuffer("/")
    #expect(root.bytes.isEmpty)
    #expect(root.path == "/")
    #expect(root.bytes.isEmpty)
    root.append(Array("a".utf8)[...])
    #expect(root.path == "/a")
    root.append(Array("b c".utf8)[...])
    #expect(root.path == "/a/b c")
    root.truncate(to: 2)
    #expect(root.path == "/a" && root.bytes == Array("/a".utf8))
  }

  @Test(arguments: [(4_095, false), (4_096, true)])
  func pathsHaveALimit(length: Int, isTooLong: Bool) {
    let path = PathBuffer(FilePath("/" + String(repeating: "x", count: length - 1)))
    #expect(path.bytes.count == length)
    #expect(path.isTooLong == isTooLong)
  }

  @Test(arguments: [("/.", "/"), ("/..", "/"), ("/./a", "/a"), ("/a/.", "/a"), ("/.a", "/.a"), ("/a.", "/a.")])
  func absolutePathsHaveNoDots(path: String, absolute: FilePath) {
    #expect(FilePath(path).absolute() == absolute)
  }

  /// `PWD` keeps the links by which a person came to the working folder, but it may be out of date.
  @Test func relativePathsStartInTheFolderThatTheShellShows() async throws {
    try library.folder("real")
    try library.folder("other")
    try library.link("link", to: "real")
    await #expect(processExitsWith: .success) { [root = library.root.string as String] in
      try #require(chdir("\(root)/real") == 0)
      for (shown, expected) in [
        ("\(root)/link", "\(root)/link/a"), ("\(root)/real", "\(root)/real/a"), ("\(root)/other", "\(root)/real/a"),
        ("\(root)/none", "\(root)/real/a"), (".", "\(root)/real/a"), ("../link", "\(root)/real/a"),
      ] {
        setenv("PWD", shown, 1)
        #expect(FilePath("a").absolute() == FilePath(expected), "\(shown)")
      }
    }
  }

  // MARK: - Lists

  private func failure(_ content: String, _ separator: PathList.Separator) throws -> String? {
    try library.file("list", content)
    var list = try PathList(at: library["list"], separator: separator)
    do {
      while try list.next() != nil {}
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func mistakesInListsHaveTheirLines() throws {
    let long = String(repeating: "x", count: 131_172)
    #expect(
      try failure("a\n\nb\0c\n", .newline)
        == "line 3 of the list of files contains a NUL byte; if it was written with -print0, add --from0")
    #expect(
      try failure("a\n\(long)", .newline)
        == "entry 2 of the list of files is longer than 65536 bytes, too long for a path; is this a list of paths?")
    #expect(
      try failure(long, .null)
        == "entry 1 of the list of files is longer than 65536 bytes, too long for a path; "
        + "if the list has one path per line, leave out --from0")
    #expect(try failure(String(repeating: "x", count: 65_536) + "\nb", .newline) == nil)
  }

  /// Standard input stays open, and files that the list opened are closed.
  @Test func listsCloseWhatTheyOpened() throws {
    try library.file("list", "a\n")
    let path = library["list"]
    func openCount() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
        FilePath("/proc/self/fd/\($0)").linkTarget == path
      }
    }
    let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
    defer { try? file.close() }
    do {
      var given = PathList(reading: file, separator: .newline)
      var own = try PathList(at: path, separator: .newline)
      #expect(try given.next() == "a")
      #expect(try own.next() == "a")
      #expect(try openCount() == 2)
      #expect(try given.next() == nil)
      #expect(try own.next() == nil)
    }
    #expect(try openCount() == 1)
  }
}
