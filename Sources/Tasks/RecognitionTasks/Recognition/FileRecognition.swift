internal import Analysis
internal import Listening
package import Recognition
package import SystemPackage

/// Recognizes tracks of a catalog in audio files, such as clips, mixes and radio recordings.
package struct FileRecognition {
  package var session: RecognitionSession
  package var limit: ConfidenceLimit

  /// - Parameter parts: Remote catalogs that are queried together with `catalog`.
  package init(
    catalog: CustomCatalog, parts: [any CatalogPart] = [], limit: ConfidenceLimit = ConfidenceLimit()
  ) throws(CatalogError) {
    session = try RecognitionSession(catalog: catalog, parts: parts)
    self.limit = limit
  }

  /// Recognizes the tracks in a file. If the file cannot be read or is too short, the record contains a problem.
  /// - Parameters:
  ///   - shownPath: The path in the record; `nil` for the path of the file.
  ///   - progress: Called from time to time with the completed fraction, 0 to 1.
  /// - Throws: `CatalogError` if the catalog cannot be used.
  package func record(
    of file: FilePath, shownAs shownPath: FilePath? = nil, progress: (Double) -> Void = { _ in }
  ) throws -> MatchRecord {
    var record = MatchRecord(path: shownPath ?? file)
    do {
      let recording = try RecognizedRecording(ofFile: file, session, progress: progress)
      record.duration = recording.sheet.duration
      record.tracks = recording.sheet.cues.filter { limit.accepts($0.confidence) }
      record.missing = recording.missing
    } catch let error as DecodeError {
      record.problem = Problem(stage: .open, code: error.code.rawValue, message: error.message)
    } catch let error as CatalogError {
      guard case .queryTooShort = error else { throw error }
      record.problem = Problem(stage: .analyze, code: "too_short", message: "For recognition, \(error).")
    }
    return record
  }
}
