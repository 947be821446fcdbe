public import Analysis
public import Platform
internal import Records
public import ResultStore
public import SystemPackage

/// Reads lines from workers and merges them into a store. A transaction ends after 200 lines, 16 MiB or one second, or
/// before a line with another origin.
public final class Merge {
  /// Maximum length of a line in bytes. A line contains the answer of a worker process and the record of the file.
  private static let lineLimit = 2 * WorkerMessage.lineLimit
  private static let batchSize = 200

  private let merger: ResultMerger
  private let reader: WorkerRecordReader
  private let control: RunControl
  /// Number of bytes after which a batch is committed.
  var maxBatchBytes = 16 << 20
  /// Time after which a batch is committed while the next line is awaited.
  var maxBatchAge = Duration.seconds(1)
  private var batch: [WorkerResult] = []
  private var bytes = 0
  private var origin: ResultOrigin?
  private var lastCommit = ContinuousClock.now
  /// Number of lines that have no file, or whose file could not be examined.
  public private(set) var withoutFile = 0

  /// - Parameter kinds: The built-in analyzers, for the types of their findings.
  public init(merger: ResultMerger, kinds: [AnalyzerKind], control: RunControl) {
    self.merger = merger
    reader = WorkerRecordReader(kinds: kinds)
    self.control = control
  }

  public var counts: MergeCounts { merger.counts }

  /// An input in which none of the first lines was written by a worker.
  public struct ForeignInput: Error, Hashable, Sendable {
    /// Number of lines that were read.
    public var lineCount: Int
    /// The reason the first of these lines is no answer, as a clause.
    public var reason: String
  }

  /// Number of lines after which an input without an answer counts as foreign.
  private static let maxForeignLines = 20

  /// Merges all lines of a file or pipe, or stops when `control` requests it.
  ///
  /// - Parameter onRefusal: Called with the number of each rejected line, counted from 1, and the reason.
  /// - Throws: `ForeignInput`, before anything is merged and without a call of `onRefusal`.
  public func read(_ input: FileDescriptor, onRefusal: (Int, String) -> Void) throws {
    var lines = LineReader(reading: input, limit: Self.lineLimit)
    var head = try Self.head(of: &lines, reader) { !control.isStopping }[...]
    try read({ try head.popFirst() ?? lines.next(shouldContinue: $0) }, onRefusal: onRefusal)
  }

  /// Checks the first lines of a file.
  /// - Throws: `ForeignInput` if none of them was written by a worker.
  public static func check(_ input: FileDescriptor, kinds: [AnalyzerKind]) throws {
    var lines = LineReader(reading: input, limit: lineLimit)
    _ = try head(of: &lines, WorkerRecordReader(kinds: kinds)) { true }
  }

  /// Returns the lines up to the first one that was written by a worker.
  private static func head(
    of lines: inout LineReader, _ reader: WorkerRecordReader, shouldContinue: () -> Bool
  ) throws -> [LineReader.Line] {
    var head: [LineReader.Line] = []
    var reasons: [String] = []
    while reasons.count < maxForeignLines {
      guard let line = try lines.next(shouldContinue: shouldContinue) else {
        // A worker that was lost may leave a single line that is cut.
        guard shouldContinue(), let reason = reasons.first, reasons.count > 1 || !isCut(head) else { return head }
        throw ForeignInput(lineCount: reasons.count, reason: reason)
      }
      head.append(line)
      switch line {
      case .tooLong: reasons.append("it is longer than \(lineLimit) bytes")
      case .text(let text) where text.isEmpty: continue
      case .text(let text):
        do {
          _ = try reader.content(of: text)
          return head
        } catch {
          guard error.isForeign else { return head }
          reasons.append(text.contains(0) ? "it is not text" : error.message)
        }
      }
    }
    throw ForeignInput(lineCount: reasons.count, reason: reasons[0])
  }

  /// Returns whether a line begins like an answer.
  private static func isCut(_ lines: [LineReader.Line]) -> Bool {
    lines.contains { line in
      guard case .text(let text) = line else { return false }
      return text.starts(with: Self.answerStart.utf8) || (!text.isEmpty && Self.answerStart.utf8.starts(with: text))
    }
  }

  /// The first bytes of each answer of a worker.
  private static let answerStart = "{\"schema\":\"\(WorkerRecord.schema)\""

  /// Merges the lines that `next` returns.
  /// - Parameter next: Returns the next line; `nil` at the end. It may call `shouldContinue` while waiting, and must
  ///   also return `nil` if `shouldContinue` returns `false`.
  public func read(
    _ next: (_ shouldContinue: () throws -> Bool) throws -> LineReader.Line?, onRefusal: (Int, String) -> Void
  ) throws {
    var number = 0
    while !control.isStopping,
      let line = try next({
        if ContinuousClock.now - lastCommit > maxBatchAge { try commit() }
        return !control.isStopping
      })
    {
      number += 1
      switch line {
      case .tooLong: onRefusal(number, "it is longer than \(Self.lineLimit) bytes")
      case .text(let text) where text.isEmpty: continue
      case .text(let text):
        do {
          try take(reader.content(of: text), size: text.count)
        } catch let refusal as WorkerRecordReader.Refusal {
          onRefusal(number, refusal.message)
        }
      }
    }
    try commit()
  }

  /// See `ResultMerger.finish`.
  public func finish(exitStatus: (ResultMerger.Ending) -> Int32) throws(StoreError) -> ResultMerger.Ending {
    try merger.finish(control.isStopping ? .interrupted : .finished, exitStatus: exitStatus)
  }

  private func take(_ content: WorkerRecordReader.Content, size: Int) throws {
    guard case .result(let result, let origin) = content else {
      withoutFile += 1
      return
    }
    if origin != self.origin { try commit() }
    self.origin = origin
    batch.append(result)
    bytes += size
    if batch.count >= Self.batchSize || bytes >= maxBatchBytes { try commit() }
  }

  private func commit() throws(StoreError) {
    lastCommit = .now
    guard let origin, !batch.isEmpty else { return }
    try merger.merge(batch, from: origin)
    batch.removeAll(keepingCapacity: true)
    bytes = 0
  }
}
