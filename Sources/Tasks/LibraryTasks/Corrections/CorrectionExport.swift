package import Platform
package import ResultStore
package import SystemPackage
internal import Text

/// Writes tempo corrections as CSV, for a backup or for another library.
package struct CorrectionExport {
  package var store: ResultStore

  /// Identifies a file of corrections.
  package static let proof = OriginProof.head(orElse: "does not start with the header of a corrections table") {
    $0.starts(with: CorrectionTable.header())
  }

  package init(_ store: ResultStore) {
    self.store = store
  }

  /// Writes to a file, which is replaced atomically at the end.
  /// - Returns: The number of corrections.
  /// - Throws: `CorrectionFileError`, `StoreError`.
  package func write(to path: FilePath) throws -> Int {
    let file: FileReplacement
    do {
      file = try FileReplacement(path)
    } catch {
      throw CorrectionFileError.cannotWrite(path, reason: "\(error)")
    }
    let count = try write { bytes in
      do { try file.write(bytes) } catch { throw CorrectionFileError.cannotWrite(path, reason: "\(error)") }
    }
    do { try file.commit() } catch { throw CorrectionFileError.cannotWrite(path, reason: "\(error)") }
    return count
  }

  /// - Parameter write: Called with the next bytes of the table.
  package func write(_ write: ([UInt8]) throws -> Void) throws -> Int {
    try write(CorrectionTable.header())
    var count = 0
    try store.forEachTempoCorrection { correction in
      try write(CorrectionTable.row(correction))
      count += 1
    }
    return count
  }
}

/// The reason corrections could not be written or read.
package enum CorrectionFileError: Error, CustomStringConvertible {
  case cannotWrite(FilePath, reason: String)
  case cannotRead(FilePath, reason: String)
  case notATable(FilePath, reason: String)

  package var description: String {
    switch self {
    case .cannotWrite(let path, let reason):
      "The corrections cannot be written to \(Self.name(path)): \(reason)."
    case .cannotRead(let path, let reason):
      "\(Self.name(path)) cannot be read: \(reason). Nothing was set."
    case .notATable(let path, let reason):
      "\(Self.name(path)) is not a table of corrections: \(reason). Nothing was set. "
        + "analyze set --export FILE writes such a table."
    }
  }

  private static func name(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
}
