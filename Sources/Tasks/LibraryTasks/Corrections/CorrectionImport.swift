internal import Analysis
internal import Platform
package import ResultStore
package import SystemPackage
internal import Text

/// Takes corrections out of a table that `CorrectionExport` has written, here or elsewhere. Unreadable rows are
/// reported, and do not hold up the rest. Many corrections take longer than a run waits for its own transactions, so
/// none may go on.
package struct CorrectionImport {
  package struct UnreadableLine: Hashable, Sendable {
    /// From 1.
    package var line: Int
    package var reason: String
  }

  package struct Outcome: Sendable {
    package var corrections = ResultStore.TempoCorrectionImport()
    /// Rows that could not be read; the first of them in `unreadable`.
    package var unreadableCount = 0
    package var unreadable: [UnreadableLine] = []
  }

  /// Bytes that a line of the table may have.
  private static let longestLine = 8 << 20
  /// A cell in quotes may go on for this many lines, or else the quotation mark is a mistake.
  private static let longestCell = 100
  /// Unreadable lines that are kept.
  private static let keptCount = 1000

  package var store: ResultStore
  package var overwritesNewer: Bool
  package var isDryRun: Bool

  package init(into store: ResultStore, overwritesNewer: Bool = false, isDryRun: Bool = false) {
    self.store = store
    self.overwritesNewer = overwritesNewer
    self.isDryRun = isDryRun
  }

  /// - Parameters:
  ///   - path: The path for messages.
  ///   - progress: Called with the part of a file that was read, 0 to 1.
  /// - Throws: `CorrectionFileError`, `StoreError`: `lockedByRun` while a run is at work, unless it is a dry run. Nothing was
  ///   set then.
  package func read(
    _ file: FileDescriptor, path: FilePath, progress: (Double) -> Void = { _ in }
  ) throws -> Outcome {
    let lock = isDryRun ? nil : try RunLock.acquire(forDatabase: store.path)
    defer { lock?.release() }
    let now = Timestamp.now
    var outcome = Outcome()
    var rows = RowReader(file, limit: Self.longestLine, longestCell: Self.longestCell)
    // The size of a pipe is unknown.
    let size = (try? FileStatus(of: file))?.size ?? 0
    func next() throws(CorrectionFileError) -> RowReader.Row? {
      do {
        return try rows.next()
      } catch {
        throw .cannotRead(path, reason: error.reason)
      }
    }
    // Empty lines before the header are left out.
    guard let header = try next() else { throw CorrectionFileError.notATable(path, reason: "it is empty") }
    let layout: CorrectionTable.Layout
    do {
      layout = try CorrectionTable.Layout(header: header.cells.get())
    } catch {
      throw CorrectionFileError.notATable(path, reason: error.reason)
    }
    // The store has words of its own for errors.
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
            if outcome.unreadable.count < Self.keptCount {
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

/// The rows of a table, in constant memory.
private struct RowReader: ~Copyable {
  struct Row {
    /// The line where it begins, from 1.
    var line: Int
    var cells: Result<[String], CorrectionTable.RowError>
  }

  private var lines: LineReader
  private let limit: Int
  private let longestCell: Int
  private var lineNumber = 0
  /// Bytes that were read so far, about.
  private(set) var byteCount = 0
  /// Lines that were read ahead.
  private var waiting: [LineReader.Line] = []

  init(_ file: FileDescriptor, limit: Int, longestCell: Int) {
    lines = LineReader(reading: file, limit: limit)
    self.limit = limit
    self.longestCell = longestCell
  }

  /// - Returns: `nil` at the end. Empty lines are left out.
  mutating func next() throws(LineReadingError) -> Row? {
    while let line = try nextLine() {
      lineNumber += 1
      let first = lineNumber
      guard case .text(var bytes) = line else {
        return Row(line: first, cells: .failure(CorrectionTable.RowError(reason: "it is longer than 8 MB")))
      }
      if bytes.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }) { continue }
      // A cell in quotes may hold line breaks.
      var ahead: [LineReader.Line] = []
      while !Self.isWhole(bytes) {
        guard ahead.count < longestCell, let more = try nextLine() else { return openQuote(first, ahead) }
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

  /// The lines after a quotation mark that is never closed are read as rows of their own.
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
