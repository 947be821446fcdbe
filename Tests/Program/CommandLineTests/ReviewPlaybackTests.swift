import Analysis
import AnalysisTesting
import AudioDecoding
import Foundation
import Platform
import Records
import SystemPackage
import Testing

@testable import Commands
@testable import LibraryTasks

/// Excerpts that are played during a review.
@Suite(.bounded) struct ReviewPlaybackTests {
  private static let rate = 8_000

  private let place: Workplace
  private let heard: FilePath

  init() throws {
    place = try Workplace()
    heard = place.folder.file("heard.wav")
  }

  /// A playback with a script in place of a player; `$2` is the file to play.
  private func playback(_ script: String) throws -> ReviewPlayback {
    ReviewPlayback(environment: ["PATH": try place.makeProgram("aplay", script).string])
  }

  /// A track whose samples say how far it is: 1 at its end.
  private func track(seconds: Double, isKnown: Bool = true, beats: [Double] = []) throws -> ReviewedTrack {
    let ramp = Signal(sampleRate: Self.rate, seconds: seconds) { $0 / seconds }
    let path = try place.folder.write(ramp, as: "ramp.wav")
    var record = FileRecord(path: path, status: .ok, tags: TagFinding(fields: [:]))
    record.tempo = TempoFinding(
      bpm: 120, confidence: 1, candidates: [], isStable: true, map: [], beats: beats, downbeats: nil)
    var track = try #require(ReviewedTrack(record))
    track.duration = isKnown ? seconds : nil
    return track
  }

  private func samples(_ path: FilePath) throws -> [Float] {
    var source = try AudioSource(path: path)
    var block = AudioBlock(channelCount: source.format.channelCount)
    var samples: [Float] = []
    while source.read(into: &block) { samples += block.samples[block.range(ofChannel: 0)] }
    return samples
  }

  private func expectIdle(_ playback: ReviewPlayback) { #expect(waitUntil { playback.activity.isEmpty }) }

  @Test func withoutPlayersNothingCanBeHeard() throws {
    #expect(!ReviewPlayback(environment: ["PATH": "/nowhere"]).hasPlayer)
    #expect(!ReviewPlayback(environment: [:]).hasPlayer)
    let playback = try playback("exit 0")
    #expect(playback.hasPlayer && playback.activity == "" && playback.takeProblem() == nil)
  }

  /// Half a minute of a track; of one longer than a minute, after a third of it.
  @Test(
    arguments: [
      (20, true, 0, 20), (60, true, 0, 30), (60.5, true, 60.5 / 3, 30), (90, true, 30, 30), (90, false, 0, 30),
    ] as [(Double, Bool, Double, Double)])
  func excerptsBeginAfterTheIntroduction(seconds: Double, isKnown: Bool, start: Double, length: Double) throws {
    let playback = try playback("cp \"$2\" '\(heard.string)'")
    playback.start(try track(seconds: seconds, isKnown: isKnown), hasClicks: false)
    expectIdle(playback)
    #expect(playback.takeProblem() == nil)
    let samples = try samples(heard)
    #expect(abs(samples.count - Int(length * Double(Self.rate))) <= 1)
    // The music may be turned down, so the ratio of two samples says where they are from.
    let (first, last) = (Double(try #require(samples.first)), Double(try #require(samples.last)))
    #expect(abs(first / last - start / (start + length)) < 0.01)
  }

  @Test func clicksAreHeardOnlyIfWanted() throws {
    let playback = try playback("cp \"$2\" '\(heard.string)'")
    let track = try track(seconds: 10, beats: [2, 4, 6])
    var found: [[Float]] = []
    for hasClicks in [true, false] {
      playback.start(track, hasClicks: hasClicks)
      expectIdle(playback)
      found.append(try samples(heard))
    }
    // Without clicks, samples only rise.
    let falls = found.map { samples in zip(samples, samples.dropFirst()).count { $1 < $0 - 0.01 } }
    #expect(falls[0] > 10 && falls[1] == 0)
  }

  /// A player that runs until it is stopped.
  @Test func aPlaybackIsStoppedOrReplaced() throws {
    let playback = try playback("echo $$ >> '\(heard.string)'; exec /bin/sleep 100")
    func started() -> Int {
      let text = try? String(contentsOfFile: heard.string, encoding: .utf8)
      return text?.split(separator: "\n").count ?? 0
    }
    let track = try track(seconds: 5)
    playback.start(track, hasClicks: false)
    #expect(["reading the audio", "playing"].contains(playback.activity))
    #expect(waitUntil { started() == 1 } && playback.activity == "playing")
    playback.start(track, hasClicks: false)
    #expect(waitUntil { started() == 2 } && playback.activity == "playing")
    playback.stop()
    #expect(playback.activity == "" && playback.takeProblem() == nil)
    // Nothing but the last one was running, and it has ended.
    let numbers = try String(contentsOfFile: heard.string, encoding: .utf8).split(separator: "\n")
    for number in numbers.compactMap({ Int32($0) }) {
      #expect(waitUntil { !FilePath("/proc/\(number)").exists })
    }
    #expect(playback.activity == "" && playback.takeProblem() == nil)
  }

  @Test func problemsAreSaidOnce() throws {
    let failing = try playback("echo no device >&2; exit 3")
    failing.start(try track(seconds: 5), hasClicks: false)
    expectIdle(failing)
    #expect(failing.takeProblem() == "aplay ended with status 3. Is there a sound device? (no device)")
    #expect(failing.takeProblem() == nil)
    // A player that says something and ends at once has played nothing.
    let silent = try playback("echo no device >&2")
    silent.start(try track(seconds: 5), hasClicks: false)
    expectIdle(silent)
    #expect(silent.takeProblem() == "aplay ended at once. Is there a sound device? (no device)")
    // The next playback forgets the problem of the one before.
    failing.start(try track(seconds: 5), hasClicks: false)
    expectIdle(failing)
    let missing = try track(seconds: 5)
    try FileManager.default.removeItem(atPath: missing.path.string)
    failing.start(missing, hasClicks: false)
    expectIdle(failing)
    #expect(failing.takeProblem()?.contains("no longer exists") == true)
  }
}
