import Analysis
import AnalysisEngine
import AnalysisTasks
import AnalysisTesting
import BuiltInAnalyzers
import DuplicateTasks
import Library
import LibraryScan
import LibraryStore
import LibraryTasks
import Pipeline
import Records
import ResultStore
import SystemPackage
import Testing

/// Queries about single files, and changes to them.
@Suite(.bounded) struct FileTaskTests {
  private static let clicks = WAVFile(.clickTrack(bpm: 120, seconds: 12)).bytes

  private func change(_ request: TempoChange.Request, _ path: FilePath, in store: ResultStore) throws
    -> TempoChange.Change
  {
    let fitting = BeatFitting(by: SingleFileAnalysis(timeLimit: .standard))
    return try #require(try TempoChange(request, in: store, fitting: fitting).perform(on: [path]).first)
  }

  @Test func aTempoIsSetAndTakenBack() async throws {
    let place = try Workplace()
    let path = try place.put(Self.clicks, as: "a.wav")
    let copy = try place.put(Self.clicks, as: "copy.wav")
    _ = try await place.run(try place.analysis(only: ["tags", "tempo"]))
    let store = try place.store()
    let found = try #require(try store.record(at: path)?.tempo?.bpm)
    #expect(abs(found - 120) < 1)

    let half = try change(.set(.times(BeatRatio(1, 2)), nil), path, in: store)
    #expect(half.isLocked && half.copies == 1)
    #expect(abs(try #require(half.after) - found / 2) < 0.01)
    #expect(half.text.contains("locked"))
    #expect(try store.record(at: copy)?.tempo?.bpm == half.after)

    // Another tempo: beats are fitted to the audio again.
    let other = try change(.set(.beatsPerMinute(97), nil), path, in: store)
    #expect(other.after == 97 && other.before == half.after)

    let moved = try change(.set(nil, .firstBeat(0.25)), path, in: store)
    #expect(moved.after == 97)
    #expect(throws: TempoChangeError.self) { try change(.set(nil, .firstBeat(90)), path, in: store) }
    #expect(throws: TempoChangeError.self) { try change(.set(.times(BeatRatio(16)), nil), path, in: store) }

    let back = try change(.unset, path, in: store)
    #expect(!back.isLocked && back.after == found)
    #expect(throws: UnknownFile.self) { try change(.unset, place.library.appending("none.wav"), in: store) }
  }

  @Test func anExplanationSaysWhatWasAndWhatComes() async throws {
    let place = try Workplace()
    let path = try place.put(sound(1), as: "a.wav")
    let bad = try place.put([UInt8](repeating: 7, count: 900), as: "bad.mp3")
    _ = try await place.run(try place.analysis())
    let store = try place.store()
    func explain(_ path: FilePath, _ plan: AnalysisPlan) throws -> [String] {
      try FileExplanation(of: path, in: store, plan: plan, candidates: CandidateRule()).sentences()
    }
    let known = try explain(path, place.plan())
    #expect(known.first == "Analyzed without a problem.")
    let wider = try explain(path, place.plan(only: ["tags", "chromaprint", "tempo"]))
    #expect(wider.last?.hasSuffix("would run: tempo.") == true)
    #expect(try explain(bad, place.plan()).first?.hasPrefix("Failed while opening it") == true)
    #expect(try explain(bad, place.plan()).last == "Unchanged since then, so it won't be retried; use --retry-failed.")
    let new = try place.put(sound(2), as: "new.wav")
    #expect(
      try explain(new, place.plan()) == [
        "It is not in the database: no run has seen it.", "The next run that finds it analyzes it.",
      ])
    #expect(throws: UnknownFile.self) { try explain(place.library.appending("none.wav"), place.plan()) }
  }
}
