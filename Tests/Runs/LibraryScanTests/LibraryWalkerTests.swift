import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@testable import LibraryScan

extension FileStatus {
  static func isOtherFileSystem(_ path: FilePath, than other: String) -> Bool {
    guard let one = try? FileStatus(at: path, followingLinks: true),
      let other = try? FileStatus(at: FilePath(other), followingLinks: true)
    else { return false }
    return one.key.device != other.key.device
  }
}

@Suite(.bounded) struct LibraryWalkerTests {
  let library: TemporaryLibrary

  init() throws { library = try TemporaryLibrary() }

  // MARK: - Yielded files

  @Test func yieldsFilesInTheOrderOfTheirNames() throws {
    for name in ["b.mp3", "a/2.flac", "a/1.flac", "B.mp3", "a.mp3", "c/d/e/deep.ogg", "a-1.wav"] {
      try library.file(name)
    }
    let scan = try library.scan()
    #expect(scan.files == ["B.mp3", "a/1.flac", "a/2.flac", "a-1.wav", "a.mp3", "b.mp3", "c/d/e/deep.ogg"])
    #expect(scan.skipped.isEmpty)
    #expect(scan.roots == [RootReport(path: library.root, state: .scanned(fileCount: 7))])
  }

  @Test func reportsWhatTheSystemReports() throws {
    let path = try library.file("song.mp3", "four")
    try library.setModified("song.mp3", secondsFromNow: -1000)
    let file = try #require(try library.scan().scannedFiles.first)
    let attributes = try FileManager.default.attributesOfItem(atPath: path.string)
    #expect(file.path == path)
    #expect(file.size == 4)
    #expect(file.linkCount == 1)
    #expect(file.inode == attributes[.systemFileNumber] as? UInt64)
    let modified = try #require(attributes[.modificationDate] as? Date).timeIntervalSince1970
    #expect(abs(Double(file.modified.nanoseconds) / 1e9 - modified) < 0.001)
    #expect(file.statusChanged > file.modified)
  }

  @Test(arguments: [
    Array("new\nline.mp3".utf8), Array("bad\u{FF}".utf8) + [0xFF, 0xFE] + Array(".mp3".utf8),
    [0xE9] + Array(".mp3".utf8),
    [UInt8](repeating: UInt8(ascii: "n"), count: 251) + Array(".mp3".utf8), Array("-rf.mp3".utf8),
    Array(" lead.mp3".utf8),
    Array("cr\r.mp3".utf8), Array("\u{1B}[31mred\u{01}.mp3".utf8), Array("back\\slash.mp3".utf8),
    Array("%s%n.MP3".utf8),
  ])
  func namesAreBytes(name: [UInt8]) throws {
    let path = try library.file(at: library[bytes: name])
    #expect(try library.scan().scannedFiles.map(\.path.bytes) == [path.bytes])
  }

  @Test func composedAndDecomposedNamesAreDifferentFiles() throws {
    try library.file("Beyonce\u{301}.mp3")
    try library.file("Beyonc\u{E9}.mp3")
    let scan = try library.scan()
    #expect(scan.scannedFiles.map { $0.path.bytes.count - library.root.bytes.count } == [14, 13])
  }

  @Test func walksAsDeepAsPathsCanBeOpened() throws {
    let folder = Array(repeating: "d", count: 80).joined(separator: "/")
    try library.file(folder + "/deep.mp3")
    #expect(try library.scan().files == [folder + "/deep.mp3"])
  }

  @Test func pathsThatCannotBeOpenedAreSkipped() throws {
    let name = String(repeating: "L", count: 200)
    // Folders beyond the limit of a path can only be made one at a time.
    var folder = library.root.withPlatformString { open($0, O_RDONLY | O_DIRECTORY) }
    for _ in 0..<22 {
      try library.check(mkdirat(folder, name, 0o755))
      let next = openat(folder, name, O_RDONLY | O_DIRECTORY)
      close(folder)
      folder = next
    }
    close(folder)
    try library.file("after.mp3")
    let scan = try library.scan()
    #expect(scan.files == ["after.mp3"])
    #expect(scan.skippedEntries.map(\.reason) == [.pathTooLong])
    #expect(scan.skippedEntries.first?.isFolder == true && scan.skippedEntries.first?.hidesFiles == true)
  }

  // MARK: - Entries that are not files

  @Test func nothingSpecialIsOpened() throws {
    try library.file("song.mp3")
    try library.fifo("fifo.mp3")
    try library.link("null.flac", to: "/dev/null")
    try library.link("dangling.mp3", to: "nowhere.mp3")
    try library.link("self.mp3", to: "self.mp3")
    try library.folder("dir.mp3")
    let scan = try library.scan()
    #expect(scan.files == ["song.mp3"])
    #expect(
      scan.skipped == ["fifo.mp3": .fifo, "null.flac": .device, "dangling.mp3": .danglingLink, "self.mp3": .linkLoop])
    let dangling = try #require(scan.skippedEntries.first { $0.reason == .danglingLink })
    #expect(dangling.message == "a link to something that does not exist (to nowhere.mp3)")
  }

  @Test func aPipeNamedAsIgnoreFileDoesNotBlock() throws {
    try library.file("song.mp3")
    try library.fifo(".nocturneignore")
    let scan = try library.scan()
    #expect(scan.files == ["song.mp3"])
    #expect(scan.skippedEntries.contains { $0.reason == .unreadableIgnoreFile })
  }

  @Test func kernelFoldersAreNotWalked() throws {
    try library.file("song.mp3")
    try library.link("kernel", to: "/proc")
    let scan = try library.scan()
    #expect(scan.files == ["song.mp3"])
    #expect(scan.skipped["kernel"] == .pseudoFileSystem)
  }

  @Test func mountTableIsReadAsTheKernelWritesIt() {
    let mounts = MountTable(
      lines: Array(
        """
        22 29 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw
        23 29 0:300 / /proc rw - proc proc rw
        29 1 259:2 / / rw,relatime shared:1 master:2 - ext4 /dev/nvme0n1p2 rw

        garbage
        """.utf8))
    let table = PseudoFileSystems(mounts)
    #expect(table.contains(FileKey(device: 20, inode: 1)))
    #expect(table.contains(FileKey(device: 0x10_002C, inode: 1)))
    #expect(!table.contains(FileKey(device: 0x1_0302, inode: 1)))
  }

  // MARK: - Links

  @Test func linksAreFollowedOnceAndLast() throws {
    let outside = try TemporaryLibrary()
    try outside.file("album/1.mp3")
    try library.file("real/song.mp3")
    try library.link("a-album", to: outside["album"].string)
    try library.link("a-alias.mp3", to: "real/song.mp3")
    try library.link("a-single.mp3", to: outside["album/1.mp3"].string)
    try library.link("b-again", to: outside["album"].string)
    let scan = try library.scan()
    #expect(scan.files == ["real/song.mp3", "a-album/1.mp3"])
    #expect(
      scan.skipped == [
        "a-alias.mp3": .alreadyScanned, "a-single.mp3": .alreadyScanned, "b-again": .alreadyScanned,
      ])
    #expect(scan.roots.map(\.state) == [.scanned(fileCount: 2)])
  }

  @Test func twoLinksToOneFileElsewhereYieldItOnce() throws {
    let outside = try TemporaryLibrary()
    try outside.file("single.mp3", "seven b")
    try library.link("one.mp3", to: outside["single.mp3"].string)
    try library.link("two.mp3", to: outside["single.mp3"].string)
    let scan = try library.scan()
    #expect(scan.files == ["one.mp3"])
    #expect(scan.scannedFiles.map(\.size) == [7])
    #expect(scan.skipped == ["two.mp3": .alreadyScanned])
  }

  @Test func linksIntoHiddenFoldersAreFollowed() throws {
    try library.file(".annex/objects/0f/SHA256--1.mp3")
    try library.link("song.mp3", to: ".annex/objects/0f/SHA256--1.mp3")
    #expect(try library.scan().files == ["song.mp3"])
  }

  @Test func linkLoopsEnd() throws {
    try library.file("a/song.mp3")
    try library.link("a/self", to: ".")
    try library.link("a/up", to: "..")
    try library.link("a/above", to: "../..")
    try library.link("a/b", to: "c")
    try library.link("a/c", to: "b")
    try library.link("a/slash", to: "/")
    let scan = try library.scan()
    #expect(scan.files == ["a/song.mp3"])
    #expect(
      scan.skipped == [
        "a/self": .alreadyScanned, "a/up": .alreadyScanned, "a/above": .linkLoop, "a/slash": .linkLoop,
        "a/b": .linkLoop,
        "a/c": .linkLoop,
      ])
  }

  @Test func linksAreLeftAloneOnRequest() throws {
    try library.file("real/song.mp3")
    try library.link("alias.mp3", to: "real/song.mp3")
    try library.link("folder", to: "real")
    let scan = try library.scan(.init(followsLinks: false))
    #expect(scan.files == ["real/song.mp3"])
    #expect(scan.skipped == ["alias.mp3": .linkNotFollowed, "folder": .linkNotFollowed])
  }

  @Test func rootsMayBeLinks() throws {
    try library.file("real/song.mp3")
    try library.link("music", to: "real")
    let scan = try Scan(
      roots: [library["music"]], options: .init(followsLinks: false), relativeTo: library.root)
    #expect(scan.files == ["music/song.mp3"])
  }

  @Test func everyNameOfAFileCounts() throws {
    try library.file("b.mp3")
    try library.hardLink("a.mp3", to: "b.mp3")
    let scan = try library.scan()
    #expect(scan.files == ["a.mp3", "b.mp3"])
    #expect(scan.skipped.isEmpty)
  }

  // MARK: - Roots

  @Test func rootsMayOverlap() throws {
    try library.file("jazz/song.mp3")
    try library.file("rock/song.mp3")
    let scan = try Scan(
      roots: [library["jazz"], library.root, library["rock"], library["jazz/song.mp3"]], relativeTo: library.root)
    #expect(scan.files == ["jazz/song.mp3", "rock/song.mp3"])
    #expect(scan.skipped == ["jazz": .alreadyScanned, "jazz/song.mp3": .alreadyScanned])
    #expect(scan.roots.map(\.state) == [.alreadyScanned, .single, .scanned(fileCount: 1), .scanned(fileCount: 1)])
  }

  @Test func foldersOfNothingNewAreNotEmpty() throws {
    try library.file("music/song.mp3")
    try library.link("farm/link.mp3", to: "../music/song.mp3")
    try library.folder("none")
    let scan = try Scan(roots: [library["music"], library["farm"], library["none"]], relativeTo: library.root)
    #expect(scan.files == ["music/song.mp3"])
    #expect(scan.roots.map(\.state) == [.scanned(fileCount: 1), .scanned(fileCount: 0), .empty])
  }

  @Test func skippedFilesCanStillBeNamed() throws {
    for name in ["song.mp3", ".hidden.mp3", "odd.xyz", "ignored.mp3"] { try library.file(name) }
    try library.file(".nocturneignore", "ignored.mp3")
    let scan = try Scan(
      roots: [library.root, library[".hidden.mp3"], library["odd.xyz"], library["ignored.mp3"]],
      relativeTo: library.root)
    #expect(scan.files == ["song.mp3", ".hidden.mp3", "odd.xyz", "ignored.mp3"])
  }

  @Test func filesNamedAsRootsAreYieldedWhateverTheirNames() throws {
    for name in ["noext", ".hidden.mp3", "odd.xyz", "cover.jpg"] { try library.file(name) }
    let scan = try Scan(
      roots: [library["noext"], library[".hidden.mp3"], library["odd.xyz"], library["cover.jpg"], library["noext"]],
      relativeTo: library.root)
    #expect(scan.files == ["noext", ".hidden.mp3", "odd.xyz", "cover.jpg"])
    #expect(scan.skipped == ["noext": .alreadyScanned])
    #expect(scan.roots.map(\.state) == Array(repeating: .single, count: 5))
  }

  @Test func aFileNamedBeforeItsFolderIsYieldedOnce() throws {
    try library.file("a.mp3")
    try library.file("b.mp3")
    let scan = try Scan(roots: [library["b.mp3"], library.root], relativeTo: library.root)
    #expect(scan.files == ["b.mp3", "a.mp3"])
    #expect(scan.skipped == ["b.mp3": .alreadyScanned])
  }

  @Test func missingRootsAreReported() throws {
    try library.folder("mountpoint")
    try library.file("closed/song.mp3")
    try library.setMode("closed", 0)
    defer { try? library.setMode("closed", 0o755) }
    try library.setMode("", 0o755)
    let scan = try withoutPrivileges {
      try Scan(
        roots: [library["gone"], library["mountpoint"], library["closed"], library["gone.mp3"]],
        relativeTo: library.root)
    }
    #expect(scan.files.isEmpty)
    #expect(
      Set(scan.roots.map(\.path)) == [library["gone"], library["mountpoint"], library["closed"], library["gone.mp3"]])
    let states = Dictionary(uniqueKeysWithValues: scan.roots.map { ($0.path, $0.state) })
    #expect(states[library["gone"]] == .missing)
    #expect(states[library["gone.mp3"]] == .missing)
    #expect(states[library["mountpoint"]] == .empty)
    #expect(states[library["closed"]] == .unreadable("Permission denied"))
    #expect(scan.roots.allSatisfy { $0.warning != nil })
  }

  @Test func relativeRootsBecomeAbsolute() throws {
    #expect(FilePath("a/./b//c/").absolute() == FilePath(FileManager.default.currentDirectoryPath).appending("a/b/c"))
    #expect(FilePath("/a/./b/").absolute() == "/a/b")
    for plain in ["/a/b", "/a/.b/..c", "/a/b.", "/"] { #expect(FilePath(plain).absolute() == FilePath(plain)) }
    for odd in ["/a//b", "//a/b", "/a/b//", "/a/b/."] { #expect(FilePath(odd).absolute() == "/a/b", "\(odd)") }
    try library.folder("real/inner")
    try library.link("link", to: "real/inner")
    // `..` after a link does not mean what the names suggest.
    #expect(library["link/.."].absolute() == library["real"])
    #expect(library["gone/../x"].absolute() == library["x"])
  }

  @Test func linksToDisksThatAreNotMountedLoseNothing() throws {
    let outside = try TemporaryLibrary()
    try library.file("song.mp3")
    try library.link("nas", to: outside.root.string)
    try library.link("gone", to: "/nonexistent/disk")
    let scan = try library.scan()
    #expect(scan.files == ["song.mp3"])
    #expect(scan.skipped == ["gone": .danglingLink, "nas": .emptyLinkTarget])
    #expect(scan.hiding == ["gone", "nas"])
  }

  // MARK: - Folders that cannot be read

  @Test func unreadableFoldersAreFindings() throws {
    try library.file("closed/in.mp3")
    try library.file("open/in.mp3")
    try library.setMode("closed", 0)
    try library.setMode("", 0o755)
    defer { try? library.setMode("closed", 0o755) }
    let scan = try withoutPrivileges { try library.scan() }
    #expect(scan.files == ["open/in.mp3"])
    #expect(scan.skipped == ["closed": .unreadableFolder])
    #expect(scan.skippedEntries.map(\.isFolder) == [true])
    #expect(scan.skippedEntries.map(\.detail) == ["Permission denied"])
    #expect(scan.hiding == ["closed"])
  }

  // MARK: - Ignored and hidden entries

  @Test func otherFilesInMusicFoldersAreNotFailures() throws {
    for name in [
      "cover.jpg", "rip.log", "album.cue", "list.m3u8", "README", "song.xyz", "song.mp3.part", "song.mp3.!qB",
      ".hidden.mp3",
      "._song.mp3", ".DS_Store", "@eaDir/song.mp3/SYNOAUDIO.mp3", ".Trash-1000/files/old.mp3", ".git/x.mp3",
      "lost+found/x.mp3", "song.MP3",
    ] { try library.file(name) }
    let scan = try library.scan()
    #expect(scan.files == ["song.MP3"])
    #expect(
      scan.skipped == [
        "cover.jpg": .notAudio, "rip.log": .notAudio, "album.cue": .notAudio, "list.m3u8": .notAudio,
        "README": .unknownKind,
        "song.xyz": .unknownKind, "song.mp3.part": .unfinishedDownload, "song.mp3.!qB": .unfinishedDownload,
        ".hidden.mp3": .hidden, "._song.mp3": .systemJunk, ".DS_Store": .systemJunk, "@eaDir": .systemJunk,
        ".Trash-1000": .systemJunk, ".git": .hidden, "lost+found": .systemJunk,
      ])
    let folders = Set(scan.skippedEntries.filter(\.isFolder).compactMap { $0.path.lastComponent?.string })
    #expect(folders == ["@eaDir", ".Trash-1000", ".git", "lost+found"])
    #expect(scan.hiding.isEmpty)
  }

  @Test func theRuleCanBeWidened() throws {
    for name in ["README", "song.xyz", "cover.jpg", ".hidden.mp3", "._song.mp3"] { try library.file(name) }
    let rule = CandidateRule(audioExtensions: ["jpg"], acceptsUnknownKinds: true, acceptsHidden: true)
    let scan = try library.scan(.init(candidates: rule))
    #expect(scan.files == [".hidden.mp3", "README", "cover.jpg", "song.xyz"])
    #expect(scan.skipped == ["._song.mp3": .systemJunk])
  }

  @Test func quietPeriodWaitsForFilesInProgress() throws {
    try library.file("fresh.mp3")
    try library.file("old.mp3")
    try library.file("future.mp3")
    try library.setModified("old.mp3", secondsFromNow: -100)
    try library.setModified("future.mp3", secondsFromNow: 1_000_000)
    // Their status changed just now, whatever their modification time.
    let scan = try library.scan(.init(quietPeriod: .seconds(60)))
    #expect(scan.files == [] && scan.skipped.values.allSatisfy { $0 == .stillChanging })
    #expect(try library.scan().files.count == 3)
  }

  @Test(arguments: [
    (-1, -1, true), (-61, -1, true), (-1, -61, true), (-61, -61, false), (59, -61, true), (61, -61, false),
  ])
  func quietPeriodIsAboutBothTimes(modified: Int, statusChanged: Int, isQuiet: Bool) throws {
    let now: Int64 = 1_795_000_000
    let period = try #require(QuietPeriod(.seconds(60), before: Timestamp(seconds: now, nanoseconds: 0)))
    #expect(
      period.contains(
        Timestamp(seconds: now + Int64(modified), nanoseconds: 0),
        Timestamp(seconds: now + Int64(statusChanged), nanoseconds: 0)) == isQuiet)
    #expect(QuietPeriod(.zero) == nil)
  }

  /// `/dev/shm` is a file system of its own on every system that has it.
  @Test(.enabled(if: FileStatus.isOtherFileSystem("/dev/shm", than: NSTemporaryDirectory())))
  func otherFileSystemsAreLeftOutOnRequest() throws {
    var template = Array("/dev/shm/library-scan-XXXXXX".utf8CString)
    try library.check(mkdtemp(&template) == nil ? -1 : 0)
    let elsewhere = FilePath(platformString: template)
    defer { try? FileManager.default.removeItem(atPath: elsewhere.string) }
    try library.file(at: elsewhere.appending("there.mp3"))
    try library.file("sub/here.mp3")
    try library.link("disk", to: elsewhere.string)
    try library.link("there.mp3", to: elsewhere.appending("there.mp3").string)
    let scan = try library.scan(.init(staysOnFileSystem: true))
    #expect(scan.files == ["sub/here.mp3"])
    #expect(scan.skipped == ["disk": .otherFileSystem, "there.mp3": .otherFileSystem])
    #expect(try library.scan().files.count == 2)
  }

  @Test func aSecondLookSeesChanges() throws {
    let path = try library.file("song.mp3")
    let file = try #require(try library.scan().scannedFiles.first)
    #expect(file.presentStatus() == .unchanged)
    // Same size, and the modification time restored.
    try library.file("song.mp3", "SOUND")
    let times = [
      timespec(),
      timespec(tv_sec: Int(file.modified.seconds), tv_nsec: Int(file.modified.nanoseconds % 1_000_000_000)),
    ]
    try library.check(path.withPlatformString { utimensat(AT_FDCWD, $0, times, 0) })
    #expect(file.presentStatus() == .changed)
    let other = try library.file("other.mp3")
    try library.check(path.withPlatformString { path in other.withPlatformString { rename($0, path) } })
    #expect(file.presentStatus() == .replaced)
    try library.check(path.withPlatformString { unlink($0) })
    #expect(file.presentStatus() == .vanished)
  }

  // MARK: - Properties

  @Test func twoWalksAreEqual() throws {
    var generator = SplitMix64.fresh()
    for number in 0..<100 {
      let folder = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
        "f\(Int.random(in: 0..<5, using: &generator))"
      }
      try library.file((folder + ["\(number).mp3"]).joined(separator: "/"))
    }
    let first = try library.scan()
    #expect(first.scannedFiles == (try library.scan().scannedFiles))
    #expect(first.files.count == 100)
    #expect(
      first.files == first.files.sorted { $0.split(separator: "/").lexicographicallyPrecedes($1.split(separator: "/")) }
    )
  }
}
