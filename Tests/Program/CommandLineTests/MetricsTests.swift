import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

/// `--metrics`: the file for Prometheus.
@Suite(.bounded) struct MetricsTests {
  /// A file in the text format of Prometheus, read as strictly as the format is described: a HELP and a TYPE line for each
  /// name before its samples, the samples of a name together, no series twice, a line feed at the end.
  private struct Exposition {
    var values: [String: Double] = [:]

    init(_ path: FilePath) throws {
      let text = try String(contentsOfFile: path.string, encoding: .utf8)
      #expect(text.hasSuffix("\n"))
      var described: [String] = []
      var typed: [String] = []
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        if let help = line.wholeMatch(of: /# HELP ([a-z_]+) (.+)/) {
          #expect(!described.contains(String(help.1)))
          described.append(String(help.1))
        } else if let type = line.wholeMatch(of: /# TYPE ([a-z_]+) gauge/) {
          #expect(described.last == String(type.1))
          typed.append(String(type.1))
        } else if let sample = line.wholeMatch(
          of:
            /(?<name>[a-z_]+)(?<labels>\{[a-z_]+="(?:[^"\\]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\]|\\["\\n])*")*\})? (?<value>\S+)/
        ) {
          let series = String(sample.name) + (sample.labels.map(String.init) ?? "")
          #expect(typed.last == String(sample.name), "\(line)")
          #expect(values[series] == nil, "\(series) stands there twice")
          let number = Double(sample.value)
          #expect(number?.isFinite == true, "\(line)")
          values[series] = number
        } else {
          Issue.record("no line of the format: \(line)")
        }
      }
      #expect(described == typed)
      for name in typed {
        #expect(name.hasPrefix("nocturne_"))
        #expect(!name.hasSuffix("_total"), "a gauge is no counter")
      }
    }

    subscript(_ series: String) -> Double? { values["nocturne_" + series] }
  }

  /// `--profile`, from the workers to the summary.
  @Test func whereTheTimeWent() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let outcome = try place.run("--profile", pipeline: "default")
    #expect(outcome.status == 0)
    let text = outcome.errors
    for stage in ["scan", "open", "decode", "analyzer tempo", "analyzer tags", "store", "report"] {
      #expect(text.contains("\n  \(stage) "), "\(stage): \(text)")
    }
  }

  @Test func figuresOfARun() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.put(Audio.wav(2), as: "b.wav")
    try place.put(Audio.junk, as: "bad.mp3")
    try place.put([1], as: "cover.jpg")
    let file = place.folder.file("metrics/nocturne.prom")
    try place.makeFolder(file.removingLastComponent())
    let before = Timestamp.now.seconds
    let first = try place.run("--metrics", Argument(file))
    #expect(first.status == 3)
    var metrics = try Exposition(file)
    #expect(metrics["run_exit_status"] == 3)
    #expect(metrics["run_new_failures"] == 1)
    for (outcome, count) in ["analyzed": 2, "cached": 0, "failed": 1, "skipped": 1, "vanished": 0] {
      #expect(metrics["run_files{outcome=\"\(outcome)\"}"] == Double(count))
    }
    for (status, count) in ["ok": 2, "partial": 0, "failed": 1, "skipped": 1, "vanished": 0, "new": 0] {
      #expect(metrics["files{status=\"\(status)\"}"] == Double(count))
    }
    #expect(metrics["failures{code=\"unknown_format\"}"] == 1)
    #expect(metrics["run_audio_seconds"] == 8)
    #expect(try #require(metrics["run_cpu_seconds"]) > 0)
    #expect(try #require(metrics["run_duration_seconds"]) > 0)
    #expect(try #require(metrics["database_size_bytes"]) > 10_000)
    #expect(metrics["pending_files"] == 0 && metrics["run_left_files"] == 0)
    for cause in ["crash", "exit", "time_limit", "no_answer"] {
      #expect(metrics["run_worker_losses{cause=\"\(cause)\"}"] == 0)
    }
    #expect(metrics.values.keys.contains { $0.hasPrefix("nocturne_build_info{version=") })
    let success = try #require(metrics["run_last_success_timestamp_seconds"])
    #expect(Int64(success) >= before)
    // Nothing is left beside it.
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.removingLastComponent().string).count == 1)

    // A failed run is reported, and the time of the last success is kept.
    let failed = try place.run(paths: ["nowhere"], environment: ["ANALYZE_METRICS": file.string])
    #expect(failed.status == 1)
    metrics = try Exposition(file)
    #expect(metrics["run_exit_status"] == 1)
    #expect(metrics["run_last_success_timestamp_seconds"] == success)
    #expect(metrics["files{status=\"ok\"}"] == 2)

    // Also for a run that could not open the database.
    try place.write("no database", to: place.database)
    #expect(try place.run("--metrics", Argument(file)).status == 1)
    metrics = try Exposition(file)
    #expect(metrics["run_exit_status"] == 1)
    #expect(metrics["run_last_success_timestamp_seconds"] == success)
    #expect(metrics["files{status=\"ok\"}"] == nil)
  }

  @Test func lostWorkersAreCounted() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let file = place.folder.file("nocturne.prom")
    let pipeline = try place.makePipeline(script: "kill -SEGV $PPID; exec sleep 60")
    let outcome = try place.run(
      "--metrics", Argument(file), pipeline: pipeline)
    #expect(outcome.status == 3)
    #expect(try Exposition(file)["run_worker_losses{cause=\"crash\"}"] == 1)
    #expect(outcome.errors.contains("1 worker process was lost: 1 × signal 11"), "\(outcome.errors)")
  }

  @Test func metricsThatCannotBeWrittenAreAnError() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let outcome = try place.run("--metrics", "/proc/no/nocturne.prom")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("/proc/no/nocturne.prom"))
    #expect(try place.run("--dry-run", "--metrics", "/proc/no/nocturne.prom").status == 0)
  }
}
