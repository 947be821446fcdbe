internal import Analysis
internal import BuiltInAnalyzers
package import Pipeline
package import Platform
package import Records
package import ResultStore
package import SystemPackage

/// Says what a run would do, and divides it into parts of equal work for an engine: all that `analyze plan` does. The
/// decision is that of a dry run: no file is opened, and the database is not written.
package struct WorkPlanning: Sendable {
  /// Of a dry run.
  package var run: LibraryRun.Request
  package var database: FilePath
  /// How many parts; `nil` for parts of some minutes.
  package var partitionCount: Int?

  package init(_ run: LibraryRun.Request, database: FilePath, partitionCount: Int? = nil) {
    self.run = run
    self.run.scan.isDryRun = true
    self.database = database
    self.partitionCount = partitionCount
  }

  /// - Parameters:
  ///   - report: Gets the events of the scan.
  ///   - begins: Gets the control that ends it early.
  /// - Throws: `StoreError`, `ScanError`, `FileListing.Problem`; `WorkPlanError` if the scan was ended early.
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
    // Half a plan looks like a whole one.
    if control.isStopping { throw WorkPlanError.interrupted }
    try spool.flush()
    return try WorkPlan(
      run.plan, scanned.counts, scanned.roots, spool, WorkPartitions(seconds: seconds, count: partitionCount),
      programVersion: run.programVersion)
  }
}

package enum WorkPlanError: Error, CustomStringConvertible {
  case interrupted

  package var description: String { "Interrupted before everything was looked at. No plan was made." }
}

/// What a run would do with which files, in parts.
package struct WorkPlan: ~Copyable {
  /// Equal for plans of the same files, analyzers and parts: an engine goes on with what it has begun.
  package let id: String
  package let made = Timestamp.now
  package let pipeline: AnalysisPlan
  package let programVersion: String
  package let counts: ScanCounts
  package let roots: [RunRecord.Root]
  package let partitions: [Partition]
  /// How many of the files lack the findings of an analyzer, by its id.
  package let missing: [String: Int]
  private let spool: PlanSpool
  private let files: [[UInt32]]

  package struct Partition: Hashable, Sendable {
    package var number: Int
    package var fileCount = 0
    package var bytes: Int64 = 0
    /// Of one processor.
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
    // Most files lack the same analyzers as the one before.
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

  /// Counts files by the analyzers that they lack.
  private struct Lacking {
    /// The analyzers of the last file, and for how many files in a row.
    private var analyzers: [String] = []
    private var fileCount = 0
    private var earlier: [String: Int] = [:]
    /// The analyzers of the last file.
    private(set) var text = "[]"

    mutating func add(_ missing: [String]) {
      if missing != analyzers {
        (earlier, analyzers, fileCount) = (total, missing, 0)
        text = "\(missing)"
      }
      fileCount += 1
    }

    /// By analyzer.
    var total: [String: Int] {
      analyzers.reduce(into: earlier) { $0[$1, default: 0] += fileCount }
    }
  }

  package var fileCount: Int { partitions.reduce(0) { $0 + $1.fileCount } }
  package var bytes: Int64 { partitions.reduce(0) { $0 + $1.bytes } }
  package var expectedSeconds: Double { partitions.reduce(0) { $0 + $1.expectedSeconds } }

  /// All files, one partition after the other, and in each in the order in which they were found.
  package func forEachFile(_ body: (Int, PlannedFile) throws -> Void) throws {
    for (number, part) in files.enumerated() {
      for index in part { try body(number, spool.file(Int(index))) }
    }
  }
}
