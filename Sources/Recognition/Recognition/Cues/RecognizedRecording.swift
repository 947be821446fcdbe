/// The tracks recognized in a recording.
package struct RecognizedRecording: Sendable {
  package var sheet: CueSheet
  /// Remote catalogs that did not answer, and segments of the catalog that cannot be read; their tracks may be missing.
  package var missing: [MissingCatalog]

  package init(sheet: CueSheet, missing: [MissingCatalog] = []) {
    self.sheet = sheet
    self.missing = missing
  }
}
