import Analysis
import AnalysisTesting
import Foundation
import Platform
import Records
import SystemPackage
import Testing
import Text

@testable import Commands
@testable import ResultStore

/// The lines of `analyze show` about a file.
@Suite(.bounded) struct RecordTextTests {
  private static func line(_ name: String, _ value: String) -> String {
    "  " + name + String(repeating: " ", count: 15 - name.count) + value
  }

  private static func lines(
    _ status: FileRecord.Status = .ok, quarantine: Quarantine? = nil, _ change: (inout FileRecord) -> Void = { _ in }
  ) -> [String] {
    var record = FileRecord(path: "/m/a.wav", status: status)
    change(&record)
    return RecordText.lines(for: record, quarantine: quarantine)
  }

  private static let start = ["/m/a.wav", line("status", "ok")]

  @Test func statesAndProblemsAreNamed() {
    #expect(Self.lines() == Self.start)
    #expect(Self.lines { $0.isVanished = true } == ["/m/a.wav", Self.line("status", "ok; the file is gone")])
    let problem = Problem(stage: .decode, code: "cut", message: "It ends early.")
    #expect(
      Self.lines(.partial) {
        $0.problem = problem
        $0.remarks = [Problem(stage: .decode, code: "x", message: "One."), problem]
      } == [
        "/m/a.wav", Self.line("status", "partial"), Self.line("problem", "It ends early. [cut]"),
        Self.line("remark", "One."), Self.line("remark", "It ends early."),
      ])
    for (losses, text) in [(1, "1 worker process"), (3, "3 worker processes")] {
      let time = Timestamp(nanoseconds: 0)
      let quarantine = Quarantine(signal: 11, losses: losses, failed: time, until: time)
      #expect(
        Self.lines(quarantine: quarantine) == Self.start + [
          Self.line("quarantine", "until \(time), for \(text) lost over it")
        ])
    }
  }

  @Test func factsAreListed() {
    let content = ContentID(high: 1, low: 2)
    #expect(Self.lines { $0.contentID = content } == Self.start + [Self.line("content id", content.description)])
    for (size, text) in [(0, "0 bytes"), (1, "1 byte"), (2, "2 bytes")] {
      #expect(Self.lines { $0.sizeBytes = Int64(size) } == Self.start + [Self.line("size", text)])
    }
    #expect(
      Self.lines {
        $0.otherFindings = ["zeta": .integer(3), "alpha": .integer(4)]
        $0.analyzerProblems = [
          FileRecord.AnalyzerProblem(analyzer: "key", outcome: .failed, message: "It broke."),
          FileRecord.AnalyzerProblem(analyzer: "tempo", outcome: .notApplicable, message: "It is too short."),
        ]
      } == Self.start + [
        Self.line("alpha", "4"), Self.line("zeta", "3"), Self.line("key", "failed: It broke."),
        Self.line("tempo", "It is too short."),
      ])
  }

  @Test func formatsAreDescribed() {
    func format(
      _ codec: String = "flac", channels: Int = 2, depth: Int? = nil, rate: Int? = nil, frames: Int64? = nil
    ) -> String? {
      let format = AudioFormat(
        container: "flac", codec: codec, sampleRate: 8_000, channelCount: channels, bitDepth: depth, bitRate: rate,
        isLossless: true, claimedFrameCount: nil, frameCount: frames)
      let lines = Self.lines { $0.format = format }
      return lines.count == 3 && lines.starts(with: Self.start) ? lines[2] : nil
    }
    #expect(format() == Self.line("format", "flac, 8000 Hz, stereo"))
    #expect(format("opus", channels: 1) == Self.line("format", "opus in flac, 8000 Hz, mono"))
    #expect(format(channels: 3) == Self.line("format", "flac, 8000 Hz, 3 channels"))
    #expect(format(depth: 16, rate: 128_900) == Self.line("format", "flac, 8000 Hz, stereo, 16 bits, 128 kbit/s"))
    let minutes = describe(seconds: 100)
    #expect(format(depth: 1, frames: 800_000) == Self.line("format", "flac, \(minutes), 8000 Hz, stereo, 1 bit"))
  }
}
