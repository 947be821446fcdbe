internal import Analysis
internal import Listening
package import Recognition
package import SystemPackage

/// Finds out which tracks of a catalog are in audio files: clips, mixes, recordings of the radio.
package struct FileRecognition {
  package var session: RecognitionSession
  package var limit: ConfidenceLimit

  /// - Parameter parts: Catalogs elsewhere that are asked together with this one.
  package init(
    catalog: CustomCatalog, parts: [any CatalogPart] = [], limit: ConfidenceLimit = ConfidenceLimit()
  ) throws(CatalogError) {
    session = try RecognitionSession(catalog: catalog, parts: parts)
    self.limit = limit
  }

  /// The tracks heard in a file. A file that cannot be read, or is too short, gives a record with a problem.
  /// - Parameters:
  ///   - shownPath: The path in the record; `nil` for the file's own.
  ///   - progress: Called now and then with the part of the file that is done, 0 to 1.
  /// - Throws: `CatalogError` if the catalog cannot be used.
  package func record(
    of file: FilePath, shownAs shownPath: FilePath? = nil, progress: (Double) -> Void = { _ in }
  ) throws -> MatchRecord {
    var record = MatchRecord(path: shownPath ?? file)
    do {
      let heard = try RecognizedRecording(ofFile: file, session, progress: progress)
      record.duration = heard.sheet.duration
      record.tracks = heard.sheet.cues.filter { limit.accepts($0.confidence) }
      record.missing = heard.missing
    } catch let error as DecodeError {
      record.problem = Problem(stage: .open, code: error.code.rawValue, message: error.message)
    } catch let error as CatalogError {
      guard case .queryTooShort = error else { throw error }
      record.problem = Problem(stage: .analyze, code: "too_short", message: "For recognition, \(error).")
    }
    return record
  }
}
