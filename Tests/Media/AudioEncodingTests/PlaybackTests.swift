import AnalysisTesting
import AudioEncoding
import Foundation
import SystemPackage
import Testing

/// Fake players.
@Suite(.bounded) struct PlaybackTests {
  private let folder = try? TemporaryDirectory()

  /// Written by another process: a program that another test is just starting would briefly share the descriptors that
  /// this process has open for writing, and a file open for writing cannot be executed.
  private func program(_ name: String, _ script: String) throws {
    let writing = Process()
    writing.executableURL = URL(filePath: "/bin/sh")
    writing.arguments =
      ["-c", #"mkdir -p "$1" && printf '#!/bin/sh\n%s\n' "$3" > "$1/$2" && chmod +x "$1/$2""#, "sh"]
      + [try #require(folder).file("bin").string, name, script]
    try writing.run()
    writing.waitUntilExit()
    #expect(writing.terminationStatus == 0)
  }

  private var players: [Player] {
    Player.installed(searchPath: "relative::\(folder?.file("bin").string ?? ""):/nowhere")
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: #require(folder).file(name).string, encoding: .utf8)
  }

  @Test func theBestThatIsInstalledPlays() throws {
    let log = try #require(folder).file("log").string
    try program("aplay", #"echo "$0 $*" > '\#(log)'"#)
    try program("mpv", "exit 1")
    #expect(players.map(\.name) == ["aplay", "mpv"])
    #expect(try Playback(players).play("/tmp/a b.wav")?.name == "aplay")
    #expect(try text("log").hasSuffix("bin/aplay -q /tmp/a b.wav\n"))
  }

  @Test func theNextOneIsTriedIfOneRefuses() throws {
    try program("pw-play", "exit 1")
    try program("aplay", "exit 3")
    try program("play", "exit 0")
    #expect(try Playback(players).play("/a.wav")?.name == "play")
    try program("play", "echo; echo 'no device: really' >&2; echo more >&2; exit 2")
    let all = ["pw-play", "aplay", "play"]
    #expect(throws: PlayerError.failed(all, status: 2, message: "no device: really")) {
      try Playback(players).play(#require(folder).file("a.wav"))
    }
    try program("pw-play", "kill -TERM $$")
    #expect(throws: PlayerError.failed(["pw-play"], status: 128 + 15, message: nil)) {
      try Playback(players).play("/a.wav")
    }
  }

  @Test func whoEndsFarTooEarlyAndComplainsHasPlayedNothing() throws {
    let file = try #require(folder).write(Signal.noise(seed: 1, sampleRate: 8000, seconds: 60), as: "long.wav")
    try program("ffplay", "echo 'no such audio device' >&2")
    #expect(throws: PlayerError.failed(["ffplay"], status: 0, message: "no such audio device")) {
      try Playback(players).play(file)
    }
    // The next one is tried.
    try program("mpv", "exit 0")
    #expect(try Playback(players).play(file)?.name == "mpv")
  }

  @Test func noneIsInstalled() throws {
    #expect(Player.installed(searchPath: nil).isEmpty && players.isEmpty)
    #expect(throws: PlayerError.noPlayer) { try Playback([]).play("/a.wav") }
    #expect("\(PlayerError.noPlayer)".contains("aplay"))
  }

  @Test func whatPlaysCanBeStopped() throws {
    let started = try #require(folder).file("started").string
    try program("paplay", "echo > '\(started)'; sleep 60 & wait")
    let playback = Playback(players)
    let stopper = Thread {
      while !FileManager.default.fileExists(atPath: started) { usleep(1_000) }
      playback.stop()
    }
    stopper.start()
    let start = ContinuousClock.now
    #expect(try playback.play("/a.wav") == nil)
    #expect(ContinuousClock.now - start < .seconds(50))
    // Nothing else is played.
    #expect(try playback.play("/a.wav") == nil)
  }
}
