internal import Analysis
internal import Platform
package import ResultStore
package import SystemPackage
internal import Text

/// Imports corrections from a table written by `CorrectionExport`, for this library or another one. Unreadable rows are
/// reported and skipped. No run may be active, because importing many corrections takes longer than a run waits for its
/// own transactions.
package struct CorrectionImport {
  package struct UnreadableLine: Hashable, Sendable {
    /// The number of the line, counted from 1.
    package var line: Int
    package var reason: String
  }

  package struct Outcome: Sendable {
    package var corrections = ResultStore.TempoCorrectionImport()
    /// Number of rows that could not be read; `unreadable` lists the first of them.
    package var unreadableCount = 0
    package var unreadable: [UnreadableLine] = []
  }

  /// Maximum length of a line in bytes.
  private static let maxLineLength = 8 << 20
  /// Maximum number of lines in a quoted cell. If there are more, the opening quotation mark counts as a mistake.
  private static let maxLinesPerCell = 100
  private static let maxUnreadableLines = 1000

  package var store: ResultStore
  package var overwritesNewer: Bool
  package var isDryRun: Bool

  package init(into store: ResultStore, overwritesNewer: Bool = false, isDryRun: Bool = false) {
    self.store = store
    self.overwritesNewer = overwritesNewer
    self.isDryRun = isDryRun
  }

  /// - Parameters:
  ///   - path: The path that messages show.
  ///   - progress: Called with the fraction of the file that has been read, from 0 to 1.
  /// - Throws: `CorrectionFileError`, or `StoreError`, which is `lockedByRun` while a run is active, except for a dry
  ///   run. In these cases, nothing was set.
  package func read(
    _ file: FileDescriptor, path: FilePath, progress: (Double) -> Void = { _ in }
  ) throws -> Outcome {
    let lock = isDryRun ? nil : try RunLock.acquire(forDatabase: store.path)
    defer { lock?.release() }
    let now = Timestamp.now
    var outcome = Outcome()
    var rows = RowReader(file, limit: Self.maxLineLength, maxLinesPerCell: Self.maxLinesPerCell)
    // Pipes have no known size.
    let size = (try? FileStatus(of: file))?.size ?? 0
    func next() throws(CorrectionFileError) -> RowReader.Row? {
      do {
        return try rows.next()
      } catch {
        throw .cannotRead(path, reason: error.reason)
      }
    }
    // Empty lines before the header are skipped.
    guard let header = try next() else { throw CorrectionFileError.notATable(path, reason: "it is empty") }
    let layout: CorrectionTable.Layout
    do {
      layout = try CorrectionTable.Layout(header: header.cells.get())
    } catch {
      throw CorrectionFileError.notATable(path, reason: error.reason)
    }
    // The error is stored separately, because the store wraps errors that the closure throws.
    var problem: CorrectionFileError?
    do {
      outcome.corrections = try store.importTempoCorrections(overwritesNewer: overwritesNewer, isDryRun: isDryRun) {
        while true {
          let row: RowReader.Row?
          do throws(CorrectionFileError) {
            row = try next()
          } catch {
            problem = error
            throw error
          }
          guard let row else { return nil }
          if size > 0 { progress(Double(rows.byteCount) / Double(size)) }
          do throws(CorrectionTable.RowError) {
            return try CorrectionTable.correction(row.cells.get(), layout, now: now)
          } catch {
            outcome.unreadableCount += 1
            if outcome.unreadable.count < Self.maxUnreadableLines {
              outcome.unreadable.append(UnreadableLine(line: row.line, reason: error.reason))
            }
          }
        }
      }
    } catch {
      throw problem ?? error
    }
    return outcome
  }
}

/// Reads the rows of a table in constant memory.
private struct RowReader: ~Copyable {
  struct Row {
    /// The first line of the row, counted from 1.
    var line: Int
    var cells: Result<[String], CorrectionTable.RowError>
  }

  private var lines: LineReader
  private let limit: Int
  private let maxLinesPerCell: Int
  private var lineNumber = 0
  /// Approximate number of bytes read so far.
  private(set) var byteCount = 0
  /// Lines that have been read ahead.
  private var waiting: [LineReader.Line] = []

  init(_ file: FileDescriptor, limit: Int, maxLinesPerCell: Int) {
    lines = LineReader(reading: file, limit: limit)
    self.limit = limit
    self.maxLinesPerCell = maxLinesPerCell
  }

  /// Returns the next row; `nil` at the end. Empty lines are skipped.
  mutating func next() throws(LineReadingError) -> Row? {
    while let line = try nextLine() {
      lineNumber += 1
      let first = lineNumber
      guard case .text(var bytes) = line else {
        return Row(line: first, cells: .failure(CorrectionTable.RowError(reason: "it is longer than 8 MB")))
      }
      if bytes.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }) { continue }
      // A quoted cell may contain line breaks.
      var ahead: [LineReader.Line] = []
      while !Self.isWhole(bytes) {
        guard ahead.count < maxLinesPerCell, let more = try nextLine() else { return openQuote(first, ahead) }
        ahead.append(more)
        guard case .text(let text) = more, bytes.count + text.count <= limit else { return openQuote(first, ahead) }
        bytes.append(UInt8(ascii: "\n"))
        bytes += text
      }
      lineNumber += ahead.count
      return Row(line: first, cells: .success(CSVReader.cells(bytes)))
    }
    return nil
  }

  /// Handles a quotation mark that is never closed: the lines after it are put back, to be read as separate rows.
  private mutating func openQuote(_ line: Int, _ ahead: [LineReader.Line]) -> Row {
    waiting = ahead + waiting
    return Row(
      line: line, cells: .failure(CorrectionTable.RowError(reason: "a quotation mark in it is never closed")))
  }

  private static func isWhole(_ bytes: [UInt8]) -> Bool {
    bytes.count { $0 == UInt8(ascii: "\"") }.isMultiple(of: 2)
  }

  private mutating func nextLine() throws(LineReadingError) -> LineReader.Line? {
    if !waiting.isEmpty { return waiting.removeFirst() }
    do {
      let line = try lines.next()
      if case .text(let text)? = line { byteCount += text.count + 1 }
      return line
    } catch {
      throw error as? LineReadingError ?? LineReadingError(reason: "\(error)")
    }
  }
}
