internal import Analysis
internal import Exports
internal import Pipeline
package import Platform
internal import Records
internal import Reporting
internal import ResultStore
package import SystemPackage
internal import Text

extension WorkPlan {
  /// Names of the files that `write(to:_:)` creates in a folder.
  package static let fileNames = ["files.parquet", "plan.json"]

  /// Writes `files.parquet`, which has one row per file and row groups that never span partitions, and `plan.json`.
  /// - Parameter folder: The folder, which is created if it does not exist.
  /// - Throws: `ExportError`. Existing files are then unchanged.
  package func write(to folder: FilePath, _ rule: OverwriteRule = OverwriteRule()) throws {
    do {
      try rule.forRegularFiles.check(Self.fileNames.map { (folder.appending($0), FileInventory.proof) })
    } catch {
      throw ExportError.refused(error)
    }
    do {
      try folder.makeFolder()
    } catch {
      throw ExportError.cannotCreate(folder, reason: "\(error)")
    }
    let columns = PlanColumn.all
    let table = try ParquetFile(
      folder.appending(Self.fileNames[0]), columns.map(\.column), program: "Nocturne \(programVersion)")
    var groups: [Range<Int>] = []
    var start = 0
    func endPartition() throws {
      try table.endGroup()
      groups.append(start..<table.groupCount)
      start = table.groupCount
    }
    try forEachFile { number, file in
      while groups.count < number { try endPartition() }
      try table.append(columns.map { $0.value((number, file)) })
    }
    while groups.count < partitions.count { try endPartition() }
    try table.finish()
    let summary = try ExportFile(folder.appending(Self.fileNames[1]))
    try summary.write(summaryLine(groups: groups))
    _ = try ExportFile.commit([table.file, summary], listed: true)
  }

  /// Calls `body` with a line for each file. `analyze worker` accepts these lines.
  package func forEachLine(_ body: ([UInt8]) throws -> Void) throws {
    let shape = Shape.plannedFile
    try forEachFile { try body(shape.ndjsonLine(($0, $1))) }
  }

  /// Returns the plan without its files, as one line of JSON.
  /// - Parameter groups: The row groups of each partition in `files.parquet`; `nil` if that file was not written.
  package func summaryLine(groups: [Range<Int>]? = nil) -> [UInt8] {
    Shape.workPlan.ndjsonLine(PlanSummary(self, groups))
  }

  package var text: String {
    let failures = counts.knownFailures
    let leftOut =
      failures == 0
      ? ""
      : "\(counted(failures, "file")) known as failing \(failures == 1 ? "is" : "are") left out; --retry-failed adds "
        + "\(failures == 1 ? "it" : "them").\n"
    guard fileCount > 0 else {
      guard counts.cached > 0 else { return "Nothing to analyze.\n" + leftOut }
      let verb = counts.cached == 1 ? "is" : "are"
      return "Nothing to analyze: \(counted(counts.cached, "file")) \(verb) unchanged.\n" + leftOut
    }
    var reasons = [
      (counts.new, "new"), (counts.changed, "changed"), (counts.outdated, "with missing or outdated findings"),
    ]
    reasons += [(counts.retried, "to be retried"), (counts.touched, "touched")]
    let parts = reasons.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let loads = partitions.map(\.expectedSeconds)
    let analyzers = pipeline.wanted.members.filter { (missing[$0.identity.id] ?? 0) > 0 }.map { member in
      "  \(member.identity.id) \(member.identity.version): \(counted(missing[member.identity.id] ?? 0, "file"))"
    }
    return """
      \(counted(fileCount, "file")) to analyze (\(parts)); unchanged: \(counts.cached).
      \(leftOut)\(bytes / 1_000_000) MB, about \(describe(seconds: expectedSeconds)) of CPU time.
      \(counted(partitions.count, "partition")) of \(describe(seconds: loads.min() ?? 0)) to \
      \(describe(seconds: loads.max() ?? 0)).
      Missing findings:
      \(analyzers.joined(separator: "\n"))

      """
  }
}

/// The JSON Schemas of the output of `analyze plan`.
package enum PlanSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "plan", "nocturne.plan.v1.schema.json",
        ReportSchema.lineSchema(Shape.workPlan.schema, title: "nocturne.plan, version 1: what a run would do").text
      ),
      (
        "planned-file", "nocturne.planned_file.v1.schema.json",
        ReportSchema.lineSchema(
          Shape.plannedFile.schema,
          title: "nocturne.planned_file, version 1: a line of analyze plan --ndjson, and a row of files.parquet"
        ).text
      ),
    ]
  }
}
