import AnalysisTesting
import Foundation
import Glibc
import LibraryScan
import Platform
import SystemPackage
import Testing

@testable import AnalysisTasks

/// Changes that the system reports of folders.
@Suite(.bounded) struct FolderWatchTests {
  private let folder: TemporaryDirectory
  private let root: FilePath

  init() throws {
    folder = try TemporaryDirectory()
    root = folder.file("music")
    try make("music/a", "music/.hidden", "outside")
  }

  private func make(_ names: String...) throws {
    for name in names {
      try FileManager.default.createDirectory(atPath: folder.file(name).string, withIntermediateDirectories: true)
    }
  }

  private func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: folder.file(name).string, toPath: folder.file(other).string)
  }

  private func watch() -> FolderWatch { FolderWatch([root], CandidateRule()) }

  /// The names of the changed files, after all events that are waiting.
  private func changes(_ watch: FolderWatch) -> Set<String> {
    var names: Set<String> = []
    for _ in 0..<8 {
      let changes = watch.changes(within: 0)
      #expect(!changes.isOverflow)
      names.formUnion(changes.files.map { String($0.string.dropFirst(folder.path.string.count + 1)) })
    }
    return names
  }

  @Test func filesThatMayBeAudioAreReported() throws {
    let watch = watch()
    #expect(watch.count == 2 && watch.limitation == nil && changes(watch) == [])
    for name in ["b.flac", "a/c.mp3", "notes.txt", "a/cover.jpg", "a/.nocturneignore", ".hidden/d.flac"] {
      try folder.write([1], as: "music/\(name)")
    }
    #expect(changes(watch) == ["music/b.flac", "music/a/c.mp3", "music/a/.nocturneignore"])
    #expect(changes(watch) == [])
    // A file that was created is not complete yet.
    try FileManager.default.linkItem(atPath: root.appending("b.flac").string, toPath: root.appending("e.flac").string)
    #expect(changes(watch) == [])
    try folder.write([1, 2], as: "music/e.flac")
    #expect(changes(watch) == ["music/e.flac"])
    try move("music/b.flac", to: "music/a/f.flac")
    #expect(changes(watch) == ["music/b.flac", "music/a/f.flac"])
    try FileManager.default.removeItem(atPath: root.appending("e.flac").string)
    #expect(changes(watch) == ["music/e.flac"])
  }

  @Test func newFoldersAreWatched() throws {
    let watch = watch()
    try make("music/new")
    try folder.write([1], as: "music/new/early.flac")
    #expect(changes(watch).contains("music/new/early.flac") && watch.count == 3)
    try folder.write([1], as: "music/new/late.flac")
    #expect(changes(watch) == ["music/new/late.flac"])
    try make("music/.git", "music/@eaDir")
    try folder.write([1], as: "music/.git/x.flac")
    #expect(changes(watch) == [] && watch.count == 3)
  }

  @Test func foldersThatAreMovedBringTheirFiles() throws {
    let watch = watch()
    try make("outside/album/disc", "outside/album/.hidden", "outside/album/empty")
    for name in ["1.flac", "cover.jpg", "disc/2.flac", ".hidden/3.flac"] {
      try folder.write([1], as: "outside/album/\(name)")
    }
    try move("outside/album", to: "music/album")
    #expect(changes(watch) == ["music/album/1.flac", "music/album/disc/2.flac"])
    #expect(watch.count == 5)
    // Within the watched folders, they keep being watched.
    try move("music/album", to: "music/a/album")
    #expect(changes(watch) == ["music/album", "music/a/album/1.flac", "music/a/album/disc/2.flac"])
    #expect(watch.count == 5)
    try folder.write([1], as: "music/a/album/disc/4.flac")
    #expect(changes(watch) == ["music/a/album/disc/4.flac"])
    try move("music/a/album", to: "outside/album")
    #expect(changes(watch) == ["music/a/album"] && watch.count == 2)
    try folder.write([1], as: "outside/album/disc/5.flac")
    #expect(changes(watch) == [])
    try FileManager.default.removeItem(atPath: root.appending("a").string)
    #expect(changes(watch) == ["music/a"] && watch.count == 1)
  }

  @Test func onlyTheFoldersThemselvesMayBeLinks() throws {
    try make("disk/album", "other")
    try FileManager.default.createSymbolicLink(atPath: folder.file("link").string, withDestinationPath: "disk")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("disk/linked").string, withDestinationPath: folder.file("other").string)
    let watch = FolderWatch([folder.file("link"), folder.file("missing")], CandidateRule())
    #expect(watch.count == 2)
    try folder.write([1], as: "disk/album/a.flac")
    try folder.write([1], as: "other/b.flac")
    #expect(changes(watch) == ["link/album/a.flac"])
  }

  @Test func lostEventsAreReported() throws {
    let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let count = try #require(Int(limit.filter(\.isNumber)))
    // Each renaming has two events.
    guard count < 100_000 else { return }
    let watch = watch()
    let names = [try folder.write([1], as: "music/1.flac").string, root.appending("2.flac").string]
    for number in 0...count / 2 { #expect(rename(names[number % 2], names[(number + 1) % 2]) == 0) }
    var changes: FolderWatch.Changes
    repeat { changes = watch.changes(within: 1000) } while !changes.isOverflow && !changes.files.isEmpty
    #expect(changes.isOverflow)
  }

  @Test func entriesAreFilesAndFolders() throws {
    try folder.write([1], as: "outside/file")
    try make("outside/folder")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("outside/link").string, withDestinationPath: "file")
    #expect(mkfifo(folder.file("outside/pipe").string, 0o600) == 0)
    let entries = FolderWatch.entries(of: folder.file("outside")).sorted { $0.path.string < $1.path.string }
    #expect(entries.map(\.path) == [folder.file("outside/file"), folder.file("outside/folder")])
    #expect(entries.map(\.isFolder) == [false, true])
    #expect(entries.map { String(decoding: $0.name, as: UTF8.self) } == ["file", "folder"])
    #expect(FolderWatch.entries(of: folder.file("none")).isEmpty)
  }
}

/// The folders themselves: missing, empty, replaced.
@Suite(.bounded) struct WatchedRootsTests {
  private let folder: TemporaryDirectory
  private let root: FilePath

  init() throws {
    folder = try TemporaryDirectory()
    root = folder.file("music")
  }

  private func make(_ names: String...) throws {
    for name in names {
      try FileManager.default.createDirectory(atPath: folder.file(name).string, withIntermediateDirectories: true)
    }
  }

  private func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: folder.file(name).string, toPath: folder.file(other).string)
  }

  private func change(
    _ before: WatchedRoots.Condition, _ now: WatchedRoots.Condition, isReplaced: Bool
  ) -> [WatchedRoots.Change] {
    [WatchedRoots.Change(path: root, before: before, now: now, isReplaced: isReplaced)]
  }

  @Test func emptyAndMissingFoldersAreAbsent() throws {
    try make("music/album", "empty")
    var roots = WatchedRoots([root, folder.file("empty"), folder.file("missing")])
    #expect(roots.absent.map(\.path) == [folder.file("empty"), folder.file("missing")])
    #expect(roots.absent.map(\.condition) == [.empty, .missing])
    #expect(roots.changes() == [])
  }

  @Test func aFolderComesFillsAndGoes() throws {
    var roots = WatchedRoots([root])
    try make("music")
    #expect(roots.changes() == change(.missing, .empty, isReplaced: true))
    #expect(roots.changes() == [] && roots.absent.map(\.condition) == [.empty])
    try make("music/album")
    #expect(roots.changes() == change(.empty, .present, isReplaced: false))
    #expect(roots.changes() == [] && roots.absent.isEmpty)
    // Files that are removed from it are reported one by one.
    try FileManager.default.removeItem(atPath: folder.file("music/album").string)
    #expect(roots.changes() == [] && roots.absent.isEmpty)
    try FileManager.default.removeItem(atPath: root.string)
    #expect(roots.changes() == change(.present, .missing, isReplaced: true))
    try make("music/album")
    #expect(roots.changes() == change(.missing, .present, isReplaced: true))
  }

  @Test func aFolderIsReplaced() throws {
    try make("music/album", "disk/album", "point")
    var roots = WatchedRoots([root])
    try move("music", to: "away")
    try move("disk", to: "music")
    #expect(roots.changes() == change(.present, .present, isReplaced: true))
    #expect(roots.changes() == [])
    try move("music", to: "disk")
    try move("point", to: "music")
    #expect(roots.changes() == change(.present, .empty, isReplaced: true))
  }

  @Test func aLinkStandsForItsFolder() throws {
    try make("disk/album", "other/album")
    try FileManager.default.createSymbolicLink(atPath: root.string, withDestinationPath: "disk")
    var roots = WatchedRoots([root])
    try FileManager.default.removeItem(atPath: folder.file("disk/album").string)
    #expect(roots.changes() == [])
    try move("disk", to: "away")
    try move("other", to: "disk")
    #expect(roots.changes() == change(.present, .present, isReplaced: true))
    try move("disk", to: "other")
    #expect(roots.changes() == change(.present, .missing, isReplaced: true))
  }
}
