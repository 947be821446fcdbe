package import Platform
package import SystemPackage
internal import Text

/// A file that records how far an export or report has progressed, so that the next one continues from there.
package struct CursorFile: Sendable {
  package var path: FilePath

  private static let schema = "nocturne.cursor"
  private static let version: Int64 = 1
  /// Maximum size in bytes. A real cursor has fewer than 200.
  private static let maxSize = 64 << 10

  package init(_ path: FilePath) {
    self.path = path
  }

  /// Refers to the cursor file in the folder of an output.
  package init(inFolder folder: FilePath) {
    self.init(folder.appending("cursor.json"))
  }

  /// Refers to the cursor file next to an output file.
  package init(besideFile file: FilePath) {
    self.init(file.removingLastComponent().appending("\(file.lastComponent?.string ?? "").cursor.json"))
  }

  /// Proves that a file is a cursor.
  package static let proof = OriginProof(orElse: "is not an export cursor") { path in
    (try? CursorFile(path).read()) != nil
  }

  /// Proves the origin of a file whose format has no room for a mark: there is a cursor next to it.
  package static let proofBesideFile = OriginProof(orElse: "has no export cursor beside it") { file in
    (try? CursorFile(besideFile: file).read()) != nil
  }

  /// Reads the cursor. Returns `nil` if there is no such file.
  /// - Throws: `CursorFileError`.
  package func read() throws(CursorFileError) -> LibraryCursor? {
    let bytes: [UInt8]
    do {
      bytes = try SmallFile.read(path, limit: Self.maxSize)
    } catch .noSuchFileOrDirectory {
      return nil
    } catch {
      throw .cannotRead(path, reason: "\(error)")
    }
    guard case .object(let members)? = try? JSONValue(parsing: bytes), members["schema"] == .string(Self.schema),
      members["version"] == .integer(Self.version), case .string(let library)? = members["library"],
      case .integer(let revision)? = members["revision"]
    else { throw .notACursor(path) }
    return LibraryCursor(library: library, revision: revision)
  }

  /// - Throws: `CursorFileError`.
  package func write(_ cursor: LibraryCursor, at time: Timestamp) throws(CursorFileError) {
    var json = JSONWriter()
    json.value(
      .object([
        "schema": .string(Self.schema), "version": .integer(Self.version), "library": .string(cursor.library),
        "revision": .integer(cursor.revision), "written_at": .string(time.description),
      ]))
    json.endLine()
    do {
      let file = try FileReplacement(path)
      try file.write(json.bytes)
      try file.commit()
    } catch {
      throw .cannotWrite(path, reason: "\(error)")
    }
  }
}

/// A failure to read or write a cursor, with what to do about it.
package enum CursorFileError: Error, CustomStringConvertible {
  case cannotRead(FilePath, reason: String)
  case cannotWrite(FilePath, reason: String)
  case notACursor(FilePath)

  package var description: String {
    switch self {
    case .cannotRead(let path, let reason):
      "The cursor \(Self.text(path)) cannot be read: \(reason)."
    case .cannotWrite(let path, let reason):
      "The cursor \(Self.text(path)) cannot be written: \(reason). Everything else was written; the next export repeats it."
    case .notACursor(let path):
      "\(Self.text(path)) is not an export cursor. Name the cursor.json that the last one wrote, or export everything "
        + "once, without --since."
    }
  }

  private static func text(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
}
