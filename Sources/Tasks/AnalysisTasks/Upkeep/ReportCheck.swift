internal import Foundation
internal import Platform
internal import Records
internal import Reporting
internal import ResultStore
internal import SystemPackage
internal import Text

/// Checks that the reports of the last run, except HTML pages, agree with the database on files, content ids, URIs and
/// statuses.
struct ReportCheck {
  let store: ResultStore
  let folder: FilePath

  func findings() throws -> [Checkup.Finding] {
    guard let last = try store.latestRun(), let finished = last.finished else { return [] }
    return try ReportFormat.allCases.filter { $0 != .html }.compactMap { format in
      let path = folder.appending("report.\(format.fileExtension)")
      guard let written = try? FileStatus(at: path, followingLinks: true).modified.seconds else { return nil }
      if written < finished.seconds {
        return .ok("report \(path.string): from before the last run, not compared")
      }
      do {
        return try check(format, at: path, against: last)
      } catch let error as StoreError {
        throw error
      } catch {
        return .wrong(
          "report \(path.string) cannot be read: \(error); `analyze report --report \(format.rawValue)` writes it again"
        )
      }
    }
  }

  private func check(_ format: ReportFormat, at path: FilePath, against run: RunRecord) throws -> Checkup.Finding {
    var isComparable = true
    var count = 0
    var unknown = 0
    var differing = 0
    var example: FilePath?
    try ReportReader.read(format, at: path) { head in
      if let id = head.run { isComparable = id == run.id && head.runStarted == run.started.description }
      return isComparable
    } file: { file in
      count += 1
      let record = try store.record(at: file.path)
      guard record.map(ReportedFile.init) != file else { return }
      if record == nil { unknown += 1 } else { differing += 1 }
      example = example ?? file.path
    }
    guard isComparable else { return .ok("report \(path.string): of another run or database, not compared") }
    // Only JSON reports state which run they describe.
    if count > 0, unknown == count, format != .json {
      return .ok("report \(path.string): of another database, not compared")
    }
    guard let example else {
      return .ok("report \(path.string): agrees with the database on \(counted(count, "file"))")
    }
    return .wrong(
      "report \(path.string): \(unknown + differing) of \(counted(count, "file")) with another content id, address or status in "
        + "the database, or no entry in it, such as \(example.string); `analyze report --report \(format.rawValue)` writes it again"
    )
  }
}
