import AnalysisTesting
import Foundation
import Glibc
import LibraryScan
import Platform
import ResultStore
import Synchronization
import SystemPackage
import Testing

@testable import AnalysisTasks

/// A watch over folders with a program in place of runs that records the folders it is given.
private final class Watched: Sendable {
  let place: TemporaryDirectory
  let watch: LibraryWatch
  private let messages: Messages

  private final class Messages: Sendable {
    let list = Mutex<[Message]>([])
  }

  /// Watches `music`. Runs fail while there is a file `broken`, unless they end in another way.
  init(
    quietPeriod: Duration = .milliseconds(300), ending: String? = nil, prepare: (TemporaryDirectory) throws -> Void
  ) throws {
    place = try TemporaryDirectory()
    try prepare(place)
    let script = "printf '%s\\n' \"$@\" >> '\(place.path)/runs'; \(ending ?? "[ ! -e '\(place.path)/broken' ]")"
    let folders = [place.file("music")]
    var options = WatchOptions(folders: folders, command: ["/bin/sh", "-c", script, "run"])
    options.quietPeriod = quietPeriod
    let messages = Messages()
    self.messages = messages
    watch = LibraryWatch(options, database: place.file("db")) { message in
      messages.list.withLock { $0.append(message) }
    }
    try watch.start()
  }

  func put(_ name: String) throws {
    let path = place.file(name)
    try FileManager.default.createDirectory(
      atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
    try Data([1, 2, 3]).write(to: URL(filePath: path.string))
  }

  func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: place.file(name).string, toPath: place.file(other).string)
  }

  /// Names of the folders that were scanned.
  var runs: [String] {
    let text = (try? String(contentsOfFile: place.file("runs").string, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map { String($0.dropFirst(place.path.string.count + 1)) }
  }

  var warnings: [String] { messages.list.withLock { $0.filter { $0.level.rawValue <= 4 }.map(\.event) } }
  var events: [String] { messages.list.withLock { $0.map(\.event) } }

  var texts: [String] { messages.list.withLock { $0.map(\.text) } }

  func wait(_ condition: () -> Bool) async {
    let end = ContinuousClock.now + .seconds(30)
    while !condition(), .now < end { try? await Task.sleep(for: .milliseconds(20)) }
    #expect(condition())
  }

  /// Longer than the check interval and the quiet period of a file.
  func pause() async throws { try await Task.sleep(for: .seconds(4)) }
}

@Suite(.bounded) struct LibraryWatchTests {
  @Test func anEmptyFolderIsNoFailure() async throws {
    let watched = try Watched {
      try FileManager.default.createDirectory(atPath: $0.file("music").string, withIntermediateDirectories: true)
    }
    try await watched.pause()
    #expect(watched.runs.isEmpty && watched.warnings.isEmpty && watched.watch.report.state == .absent)
    try watched.put("music/a.wav")
    await watched.wait { watched.runs == ["music"] && watched.watch.report.state == .watching }
    #expect(watched.warnings.isEmpty)
    await watched.watch.stop()
  }

  @Test func aFolderMayComeLater() async throws {
    let watched = try Watched { _ in }
    try await watched.pause()
    #expect(watched.runs.isEmpty && watched.warnings == ["watch_folder_missing"])
    #expect(watched.watch.report.state == .absent && watched.watch.report.absent == [watched.place.file("music")])
    try watched.put("music/a.wav")
    await watched.wait { watched.runs == ["music"] }
    try watched.put("music/album/b.wav")
    await watched.wait { watched.runs == ["music", "music/album"] }
    #expect(watched.warnings.count == 1 && watched.events.contains("watch_folder_back"))
    await watched.watch.stop()
  }

  /// To the watch, mounting or unmounting a disk looks like replacing a folder by another of the same name.
  @Test func aFolderMayGoAndComeBack() async throws {
    let watched = try Watched {
      try FileManager.default.createDirectory(atPath: $0.file("music/album").string, withIntermediateDirectories: true)
      try $0.write([1], as: "music/album/a.wav")
      try FileManager.default.createDirectory(atPath: $0.file("point").string, withIntermediateDirectories: true)
    }
    await watched.wait { watched.runs == ["music"] && watched.watch.report.state == .watching }
    try watched.move("music", to: "disk")
    try watched.move("point", to: "music")
    await watched.wait { watched.watch.report.state == .absent }
    try await watched.pause()
    #expect(watched.runs == ["music"] && watched.warnings == ["watch_folder_empty"])
    try watched.move("music", to: "point")
    try watched.move("disk", to: "music")
    await watched.wait { watched.runs == ["music", "music"] && watched.watch.report.state == .watching }
    try watched.put("music/album/b.wav")
    await watched.wait { watched.runs == ["music", "music", "music/album"] }
    #expect(watched.warnings == ["watch_folder_empty"] && watched.events.contains("watch_folder_back"))
    await watched.watch.stop()
  }

  @Test func aLinkedFolderIsWatched() async throws {
    let watched = try Watched {
      try FileManager.default.createDirectory(atPath: $0.file("disk/album").string, withIntermediateDirectories: true)
      try $0.write([1], as: "disk/album/a.wav")
      try FileManager.default.createSymbolicLink(atPath: $0.file("music").string, withDestinationPath: "disk")
    }
    await watched.wait { watched.runs == ["music"] && watched.watch.report.state == .watching }
    try watched.put("disk/album/b.wav")
    await watched.wait { watched.runs == ["music", "music/album"] }
    await watched.watch.stop()
  }

  @Test func aFailureIsStillOne() async throws {
    let watched = try Watched {
      try FileManager.default.createDirectory(atPath: $0.file("music").string, withIntermediateDirectories: true)
      try $0.write([1], as: "music/a.wav")
      try $0.write([], as: "broken")
    }
    await watched.wait { watched.watch.report.state == .troubled }
    // On a busy machine, it may have retried by now.
    #expect(Set(watched.warnings) == ["watch_run_failed"])
    await watched.watch.stop()
  }
}

/// The states of a watch, and what it does with the runs it starts.
@Suite(.bounded) struct LibraryWatchStateTests {
  private static func music(_ place: TemporaryDirectory) throws {
    try FileManager.default.createDirectory(atPath: place.file("music").string, withIntermediateDirectories: true)
    try place.write([1], as: "music/a.wav")
  }

  @Test(arguments: [0, 3]) func filesThatFailAreNoFailureOfTheRun(status: Int) async throws {
    let watched = try Watched(ending: "exit \(status)", prepare: Self.music)
    await watched.wait { watched.runs == ["music"] && watched.watch.report.state == .watching }
    #expect(watched.events == ["watching"] && watched.watch.report.process == nil)
    #expect(watched.texts == ["watching 1 folder below \(watched.place.file("music").string)"])
    await watched.watch.stop()
  }

  @Test(arguments: [
    ("exit 1", "A run for new files ended with status 1; see its messages."),
    ("exit 4", "A run for new files ended with status 4; see its messages."),
    ("kill -9 $$", "A run for new files was killed (signal 9)."),
  ])
  func failuresSayWhenTheyAreTriedAgain(ending: String, text: String) async throws {
    let watched = try Watched(ending: ending, prepare: Self.music)
    await watched.wait { watched.watch.report.state == .troubled }
    #expect(watched.texts.dropFirst().first == "\(text) Retrying in 15 s.")
    await watched.watch.stop()
  }

  @Test func stoppingEndsTheRun() async throws {
    let watched = try Watched(ending: "exec sleep 1000", prepare: Self.music)
    await watched.wait { watched.watch.report.state == .analyzing && watched.runs == ["music"] }
    let process = try #require(watched.watch.report.process)
    #expect(kill(process, 0) == 0)
    await watched.watch.stop()
    #expect(kill(process, 0) != 0)
    #expect(watched.warnings.isEmpty)
  }

  @Test func anotherRunIsWaitedFor() async throws {
    let held = Mutex<RunLock?>(nil)
    let watched = try Watched { place in
      try Self.music(place)
      let lock = try RunLock.acquire(forDatabase: place.file("db"))
      held.withLock { $0 = lock }
    }
    await watched.wait { watched.watch.report.state == .waiting }
    #expect(watched.runs.isEmpty)
    held.withLock { $0?.release() }
    await watched.wait { watched.runs == ["music"] && watched.watch.report.state == .watching }
    #expect(watched.events == ["watching", "watch_waits"])
    await watched.watch.stop()
  }

  @Test func newFilesSettle() async throws {
    let watched = try Watched(quietPeriod: .seconds(1000), prepare: Self.music)
    // Existing files are due at once.
    await watched.wait { watched.runs == ["music"] && watched.watch.report.state == .watching }
    try watched.put("music/b.wav")
    await watched.wait { watched.watch.report.state == .settling }
    #expect(watched.runs == ["music"])
    await watched.watch.stop()
  }

  @Test func statesInWords() {
    func text(_ state: LibraryWatch.State, absent: [FilePath] = [], limitation: String? = nil) -> String {
      LibraryWatch.Report(state: state, folders: ["/a", "/b"], absent: absent, limitation: limitation).text
    }
    #expect(text(.watching) == "Watching 2 folders")
    #expect(text(.watching, limitation: "It is limited.") == "Scanning 2 folders every few minutes")
    #expect(text(.absent, absent: ["/a"]) == "Waiting for /a, which is missing or empty")
    #expect(text(.absent, absent: ["/a", "/b"]) == "Waiting for /a, /b, which are missing or empty")
    #expect(LibraryWatch.Report(state: .watching, folders: ["/a"]).text == "Watching 1 folder")
    let others = [LibraryWatch.State.settling, .analyzing, .waiting, .troubled].map { text($0) }
    #expect(Set(others).count == 4)
    let options = WatchOptions(folders: [], command: [])
    #expect(options.quietPeriod == .seconds(10) && options.scanInterval == .seconds(300))
  }
}

@Suite(.bounded) struct RetryPauseTests {
  private let start = ContinuousClock.now
  private let quiet = Duration.seconds(10)

  /// The pause after a number of failures, each of a run that took two seconds.
  private func pause(failures: Int) -> RetryPause {
    var pause: RetryPause?
    for _ in 0..<failures { pause = RetryPause(after: pause, runBegin: start - .seconds(2), now: start) }
    return pause!
  }

  @Test func pausesBecomeLonger() {
    let ends = (1...10).map { pause(failures: $0).end(lastChange: nil, quietPeriod: quiet) - start }
    #expect(ends == [15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600].map { Duration.seconds($0) })
  }

  @Test func aChangeEndsAPauseSoon() {
    func end(_ change: Int) -> Duration {
      pause(failures: 9).end(lastChange: start + .seconds(change), quietPeriod: quiet) - start
    }
    // A change that the failed run has seen.
    #expect(end(-3) == .seconds(3600))
    // Changes during the run, and early in the pause.
    #expect(end(-1) == .seconds(15) && end(3) == .seconds(15))
    #expect(end(100) == .seconds(110))
    // Ongoing changes do not extend a pause.
    #expect(end(3599) == .seconds(3600))
  }
}
