package import Analysis
internal import BuiltInAnalyzers
internal import Foundation
package import Pipeline
package import Platform
internal import Records
package import ResultStore
package import SystemPackage

/// The metrics of a run for Prometheus. They are written when the run ends, whether or not it succeeded.
package struct RunMetrics: Sendable {
  private let start = ContinuousClock.now
  private let started = Timestamp.now
  /// The output path; `nil` until the settings have been read, or if no metrics are requested.
  package var path: FilePath?
  package var database: FilePath?
  /// The figures of the library; `nil` if the run was not completed.
  package var figures: LibraryFigures?
  package var outcome: LibraryRun.Outcome?
  package var losses: [WorkerLoss: Int] = [:]
  /// The outcome of the verification; `nil` if nothing was verified.
  package var verification: LibraryVerification.Outcome?

  package init() {}

  /// Identifies a metrics file.
  package static let proof = OriginProof.text(beginning: "# HELP nocturne_")

  /// - Throws: `WriteError`. An existing file is then unchanged.
  package func write(exitStatus: ExitStatus) throws {
    guard let path else { return }
    // After a failed run, the figures come from the database. The last success comes from the figures or from the file
    // that is replaced.
    let figures =
      figures
      ?? database.flatMap {
        try? ResultStore(path: $0, findings: BuiltInAnalyzers.findings, access: .readOnly).figures()
      }
    let lastSuccess = figures?.lastSuccess.map { $0.seconds } ?? Self.lastSuccess(in: path)
    let text = (families(exitStatus, lastSuccess: lastSuccess) + (figures.map(Self.families(of:)) ?? []))
      .map(\.text).joined()
    do {
      try FileReplacement.write(text.utf8, to: path)
    } catch {
      throw WriteError(path: path, reason: "\(error)")
    }
  }

  package struct WriteError: Error, CustomStringConvertible {
    package var path: FilePath
    package var reason: String

    package var description: String {
      "The metrics file “\(DisplayPath.text(of: path))” cannot be written: \(reason). "
        + "Check its folder and permissions, or name another one with --metrics."
    }
  }

  private func families(_ exitStatus: ExitStatus, lastSuccess: Int64?) -> [MetricFamily] {
    var families = [
      MetricFamily(
        "nocturne_build_info", "Version of the program that wrote this file; always 1.",
        [.init(labels: [("version", Nocturne.version)], value: 1)]),
      MetricFamily(
        "nocturne_run_start_timestamp_seconds", "Start of the last run, in seconds since 1970.",
        Double(started.seconds)),
      MetricFamily(
        "nocturne_run_end_timestamp_seconds", "End of the last run, in seconds since 1970.",
        Double(Timestamp.now.seconds)),
      MetricFamily(
        "nocturne_run_last_success_timestamp_seconds",
        "End of the last run that was completed (exit status 0 or 3), in seconds since 1970.",
        lastSuccess.map { [.init(value: Double($0))] } ?? []),
      MetricFamily("nocturne_run_exit_status", "The exit status of the last run.", Int(exitStatus.rawValue)),
      MetricFamily(
        "nocturne_run_duration_seconds", "Duration of the last run in seconds.",
        milliseconds((.now - start) / .seconds(1))),
      MetricFamily(
        "nocturne_run_cpu_seconds", "Processor time in seconds of the last run and of all processes it started.",
        milliseconds(Self.processorTime)),
    ]
    if let outcome {
      let totals = outcome.totals
      families += [
        MetricFamily(
          "nocturne_run_audio_seconds", "Seconds of audio that the last run decoded.",
          milliseconds(outcome.audioDuration)),
        MetricFamily(
          "nocturne_run_files", "Files that the last run saw, by outcome; each is counted once.", label: "outcome",
          [
            ("analyzed", totals.analyzed), ("partial", totals.partial), ("cached", totals.cached),
            ("failed", totals.failed),
            ("skipped", totals.skipped), ("vanished", totals.vanished),
          ]),
        MetricFamily(
          "nocturne_run_new_failures", "Files that failed in the last run and were not known as failing.",
          outcome.newlyFailed),
        MetricFamily(
          "nocturne_run_new_damage",
          "Files that the last run found damaged and that were not known as damaged or failing.", outcome.newlyDamaged),
        MetricFamily(
          "nocturne_run_left_files", "Files that the last run left for the next one because it ended early.",
          outcome.pending),
        MetricFamily(
          "nocturne_run_worker_losses", "Worker processes that the last run lost, by cause.", label: "cause",
          Self.causes.map { cause in (cause, losses.filter { Self.name(of: $0.key.cause) == cause }.values.reduce(0, +))
          }
        ),
      ]
    }
    if let verification {
      families += [
        MetricFamily(
          "nocturne_run_verified_files", "Files that the last run read again, by result; each is counted once.",
          label: "outcome", VerificationDigest(verification).counts.map { ($0.name, $0.count) }),
        MetricFamily(
          "nocturne_run_verified_bytes", "Bytes that the last run read again.", Double(verification.totals.bytes)),
      ]
    }
    return families
  }

  package static func families(of figures: LibraryFigures) -> [MetricFamily] {
    [
      MetricFamily(
        "nocturne_files", "Files in the database, by status.", label: "status",
        LibraryFigures.Status.allCases.map { ($0.rawValue, figures.files[$0] ?? 0) }),
      MetricFamily(
        "nocturne_failures", "Existing files that fail, by the code of the problem.", label: "code",
        figures.failures.sorted { $0.key < $1.key }),
      MetricFamily("nocturne_pending_files", "Files waiting for analysis.", figures.pending),
      MetricFamily(
        "nocturne_database_size_bytes", "Size in bytes of the database and its write-ahead log.",
        Double(figures.databaseBytes)),
    ]
  }

  private static let causes = ["crash", "exit", "time_limit", "no_answer"]

  private static func name(of cause: WorkerLoss.Cause) -> String {
    switch cause {
    case .signal: "crash"
    case .exit: "exit"
    case .timeLimit: "time_limit"
    case .noAnswer: "no_answer"
    }
  }

  /// The CPU time of this process and its terminated children, in seconds.
  private static var processorTime: Double {
    [RUSAGE_SELF, RUSAGE_CHILDREN].reduce(0) { sum, who in
      var usage = rusage()
      guard unsafe getrusage(__rusage_who_t(who.rawValue), &usage) == 0 else { return sum }
      return sum + Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
  }

  private func milliseconds(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

  private static func lastSuccess(in path: FilePath) -> Int64? {
    guard let bytes = try? SmallFile.read(path, limit: 1 << 20) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    let name = "nocturne_run_last_success_timestamp_seconds "
    return text.split(separator: "\n").first { $0.hasPrefix(name) }.flatMap { Int64($0.dropFirst(name.count)) }
  }
}
