/// What was recognized in a recording.
package struct HeardRecording: Sendable {
  package var sheet: CueSheet
  /// Catalogs elsewhere that did not answer: their tracks may be missing.
  package var missing: [MissingCatalog]

  package init(sheet: CueSheet, missing: [MissingCatalog] = []) {
    self.sheet = sheet
    self.missing = missing
  }
}
