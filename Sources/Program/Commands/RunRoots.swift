import AnalysisTasks
import LibraryScan
import Objects
import Pipeline
import Platform
import Synchronization
import SystemPackage
import Text

/// The files to analyze, and the part of the library that the reports of the run show.
struct RunRoots {
  let request: LibraryRun.Roots
  let reported: [FilePath]?

  init(paths: [FilePath], filesFrom: String?, from0: Bool, settings: CommandSettings) throws {
    guard let filesFrom else {
      if from0 { throw CommandFailure(.usage, "--from0 needs --files-from.") }
      let roots = paths.isEmpty ? settings[Settings.library] : paths
      guard !roots.isEmpty else {
        throw CommandFailure(
          .usage, "Name a folder or file to analyze: analyze ~/Music (`analyze --help` shows everything).")
      }
      if let object = roots.first(where: { $0.isObject && ObjectFolder($0) == nil }) {
        throw CommandFailure(
          .usage,
          "\(printable(DisplayPath.text(of: object))) is an object of a server that cannot be listed: give it to analyze "
            + "worker (docs/workers.md).")
      }
      request = .paths(roots)
      reported = roots
      return
    }
    guard paths.isEmpty else {
      throw CommandFailure(.usage, "Give paths or --files-from, not both.")
    }
    let list = try FileList(filesFrom, separator: from0 ? .null : .newline)
    request = .list { () throws(ScanError) in try list.next() }
    // The list may not fit into memory, and can be read only once.
    reported = nil
  }
}

/// A list of paths shared by threads during the scan, which read from it one at a time.
private final class FileList: Sendable {
  private struct State: ~Copyable {
    var list: PathList
  }

  private let state: Mutex<State>

  init(_ argument: String, separator: PathList.Separator) throws(ScanError) {
    let list =
      argument == "-"
      ? PathList(reading: .standardInput, separator: separator)
      : try PathList(at: RawArguments.path(from: argument), separator: separator)
    state = Mutex(State(list: list))
  }

  func next() throws(ScanError) -> FilePath? {
    try state.withLock { (state) throws(ScanError) in
      try state.list.next().map { PathArgument.absolute($0) }
    }
  }
}
