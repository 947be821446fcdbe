internal import Analysis
internal import BuiltInAnalyzers
package import Pipeline
package import Platform
package import Records
package import ResultStore
package import SystemPackage

/// Implements `analyze plan`: determines what a run would do, and divides the files into partitions of roughly equal
/// work for an engine that distributes them to machines. Like a dry run, it opens no audio files and does not write to
/// the database.
package struct WorkPlanner: Sendable {
  /// The run to plan, which is always a dry run.
  package var run: LibraryRun.Request
  package var database: FilePath
  /// Number of partitions; `nil` for partitions of `WorkPartitions.defaultSeconds`.
  package var partitionCount: Int?

  package init(_ run: LibraryRun.Request, database: FilePath, partitionCount: Int? = nil) {
    self.run = run
    self.run.scan.isDryRun = true
    self.database = database
    self.partitionCount = partitionCount
  }

  /// - Parameters:
  ///   - begins: Called with the control that can stop the scan.
  ///   - report: Called with the events of the scan.
  /// - Throws: `StoreError`, `ScanError`, `FileListing.Problem`; `WorkPlanError` if the scan was stopped.
  package func perform(
    begins: (RunControl) -> Void = { _ in }, report: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) throws -> WorkPlan {
    let database = try RunDatabase(self.database, isDryRun: true)
    let store = try ResultStore(
      path: database.path, findings: BuiltInAnalyzers.findings, access: database.isTemporary ? .readWrite : .readOnly)
    let control = RunControl()
    begins(control)
    let estimate = WorkEstimate(run.plan)
    var spool = try PlanSpool()
    var seconds: [Float] = []
    let scanned = try LibraryRun(store: store, request: run, control: control, report: report).plan { stamp, work in
      let duration = work.format.flatMap { $0.duration }
      let codec = work.format?.codec
      let expected = estimate.seconds(
        stamp.path, sizeBytes: stamp.sizeBytes, codec: codec, duration: duration, missing: work.missing)
      seconds.append(Float(expected))
      try spool.append(
        PlannedFile(
          path: stamp.path, sizeBytes: stamp.sizeBytes, modified: stamp.modified, reason: work.reason,
          missing: work.missing, codec: codec, duration: duration, expectedSeconds: expected))
    }
    // A partial plan would look like a complete one, so it is not returned.
    if control.isStopping { throw WorkPlanError.interrupted }
    try spool.flush()
    return try WorkPlan(
      run.plan, scanned.counts, scanned.roots, spool, WorkPartitions(seconds: seconds, count: partitionCount),
      programVersion: run.programVersion)
  }
}

package enum WorkPlanError: Error, CustomStringConvertible {
  case interrupted

  package var description: String { "Interrupted before the scan was complete. No plan was made." }
}

/// The files that a run would analyze, in partitions.
package struct WorkPlan: ~Copyable {
  /// An id that is the same for all plans by the same version of the program with the same files, analyzers and
  /// partitions, so that an engine can resume.
  package let id: String
  package let made = Timestamp.now
  package let pipeline: AnalysisPlan
  package let programVersion: String
  package let counts: ScanCounts
  package let roots: [RunRecord.Root]
  package let partitions: [Partition]
  /// Number of files that lack an analyzer's findings, by the id of the analyzer.
  package let missing: [String: Int]
  private let spool: PlanSpool
  private let files: [[UInt32]]

  package struct Partition: Hashable, Sendable {
    package var number: Int
    package var fileCount = 0
    package var bytes: Int64 = 0
    /// The expected CPU time in seconds.
    package var expectedSeconds = 0.0
  }

  fileprivate init(
    _ pipeline: AnalysisPlan, _ counts: ScanCounts, _ roots: [RunRecord.Root], _ spool: consuming PlanSpool,
    _ division: WorkPartitions, programVersion: String
  ) throws {
    self.pipeline = pipeline
    self.counts = counts
    self.roots = roots
    self.programVersion = programVersion
    files = division.files()
    var partitions: [Partition] = []
    var lacking = Lacking()
    let digest = pipeline.digest.description
    var id = ContentID(hashing: Array("\(digest) \(pipeline.wanted.decoderVersion) \(programVersion)".utf8))
    for (number, part) in files.enumerated() {
      var partition = Partition(number: number)
      for index in part {
        let file = try spool.file(Int(index))
        partition.fileCount += 1
        partition.bytes += file.sizeBytes
        partition.expectedSeconds += file.expectedSeconds
        lacking.add(file.missing)
        let words = "\(id) \(number) \(file.sizeBytes) \(file.modified.nanoseconds) \(lacking.text) "
        id = ContentID(hashing: Array(words.utf8) + file.path.withBytes { unsafe Array($0) })
      }
      partitions.append(partition)
    }
    self.id = id.description
    self.partitions = partitions
    missing = lacking.total
    self.spool = spool
  }

  /// Counts files by the analyzers that they lack. Most files lack the same analyzers as the previous file.
  private struct Lacking {
    /// The analyzers that the last file lacks, and the number of files in a row that lack the same analyzers.
    private var analyzers: [String] = []
    private var fileCount = 0
    private var earlier: [String: Int] = [:]
    /// The analyzers that the last file lacks, as text.
    private(set) var text = "[]"

    mutating func add(_ missing: [String]) {
      if missing != analyzers {
        (earlier, analyzers, fileCount) = (total, missing, 0)
        text = "\(missing)"
      }
      fileCount += 1
    }

    /// Number of files by analyzer.
    var total: [String: Int] {
      analyzers.reduce(into: earlier) { $0[$1, default: 0] += fileCount }
    }
  }

  package var fileCount: Int { partitions.reduce(0) { $0 + $1.fileCount } }
  package var bytes: Int64 { partitions.reduce(0) { $0 + $1.bytes } }
  package var expectedSeconds: Double { partitions.reduce(0) { $0 + $1.expectedSeconds } }

  /// Calls `body` with each file and the number of its partition, ordered by partition, then as the files were found.
  package func forEachFile(_ body: (Int, PlannedFile) throws -> Void) throws {
    for (number, part) in files.enumerated() {
      for index in part { try body(number, spool.file(Int(index))) }
    }
  }
}
