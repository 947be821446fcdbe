internal import Analysis
internal import Exports
package import Pipeline
internal import Platform
package import SystemPackage
internal import Text

/// A source of worker answers.
package enum AnswerFiles: Sendable {
  case standardInput
  case file(FilePath)

  /// Returns the answer file at a path, or all answer files below a folder. Skips names that begin with `_` or `.`,
  /// which data engines use for their own files: Spark writes `_SUCCESS`, `_temporary` and `.part-00000.crc`.
  ///
  /// - Parameter isUnfinished: Called with each `_temporary` folder, which shows that a Hadoop or Spark job is
  ///   unfinished.
  /// - Throws: `AnswerMergeError`. At this point, nothing has been created, so a wrong name leaves nothing behind.
  package static func named(_ path: FilePath, isUnfinished: (FilePath) -> Void) throws -> [AnswerFiles] {
    guard isFolder(path) else {
      try open(path, "Nothing").close()
      return [.file(path)]
    }
    if path.lastComponent == "_temporary" {
      isUnfinished(path)
      return []
    }
    return try files(in: path, isUnfinished)
  }

  private static func files(in folder: FilePath, _ isUnfinished: (FilePath) -> Void) throws -> [AnswerFiles] {
    let names: [FilePath.Component]
    do {
      names = try FolderListing.names(in: folder)
    } catch {
      throw AnswerMergeError.unreadable(folder, reason: "\(error).", merged: "Nothing")
    }
    return try names.flatMap { name -> [AnswerFiles] in
      let path = folder.appending(name)
      if name == "_temporary" { isUnfinished(path) }
      if name.string.hasPrefix("_") || name.string.hasPrefix(".") { return [] }
      return isFolder(path) ? try files(in: path, isUnfinished) : [.file(path)]
    }
  }

  private static func isFolder(_ path: FilePath) -> Bool { path.fileKind == .folder }

  private static func open(_ path: FilePath, _ merged: String) throws -> FileDescriptor {
    do {
      return try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    } catch {
      throw AnswerMergeError.unreadable(path, reason: "\(error).", merged: merged)
    }
  }

  package var name: String {
    switch self {
    case .standardInput: "standard input"
    case .file(let path): path.string
    }
  }

  /// Checks that workers wrote the file, unless reading it would consume it.
  /// - Throws: `AnswerMergeError`.
  func check(kinds: [AnalyzerKind]) throws {
    guard case .file(let path) = self, path.fileKind == .regular else { return }
    let descriptor = try Self.open(path, "Nothing")
    try descriptor.closeAfter {
      guard !ParquetTextReader.isParquet(descriptor) else { return }
      do {
        try Merge.check(descriptor, kinds: kinds)
      } catch let foreign as Merge.ForeignInput {
        throw AnswerMergeError.foreign(self, foreign, merged: "Nothing")
      }
    }
  }

  func withDescriptor(_ body: (FileDescriptor) throws -> Void) throws {
    switch self {
    case .standardInput: try body(.standardInput)
    case .file(let path):
      let descriptor = try Self.open(path, "Nothing more")
      try descriptor.closeAfter { try body(descriptor) }
    }
  }
}

/// The reason answers cannot be merged.
package enum AnswerMergeError: Error, CustomStringConvertible {
  /// The given paths contain no answer files.
  case noFiles
  /// None of the first lines was written by `analyze worker`. `merged` is `Nothing` or `Nothing more`.
  case foreign(AnswerFiles, Merge.ForeignInput, merged: String)
  /// `reason` is a sentence; `merged` is `Nothing` or `Nothing more`.
  case unreadable(FilePath, reason: String, merged: String)

  package var description: String {
    switch self {
    case .noFiles: "The given paths contain no answer files. Nothing was merged."
    case .foreign(let input, let foreign, let merged):
      """
      \(printable(input.name)) is not the output of `analyze worker`: \
      \(foreign.lineCount == 1 ? "its only line is not an answer" : "none of its first \(foreign.lineCount) lines is an answer") \
      (line 1: \(foreign.reason)). \(merged) was merged; name files that `analyze worker` wrote.
      """
    case .unreadable(let path, let reason, let merged):
      "\(printable(path.string)) cannot be read: \(reason) \(merged) was merged."
    }
  }
}
