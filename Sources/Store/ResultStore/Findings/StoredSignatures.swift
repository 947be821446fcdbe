public import Analysis
internal import GRDB

extension ResultStore {
  /// Returns the newest version of the signature of some audio, preferably from an intact file; `nil` if no file has
  /// one.
  public func signature(of content: ContentID) throws(StoreError) -> SignatureFinding? {
    try signature(where: "file.content_id = ?", content)
  }

  /// Returns the signature of an intact file that decodes to the same audio as a file with this
  /// `FileAnalysis.decodingID`; `nil` if there is none.
  public func signature(decodingID: ContentID) throws(StoreError) -> SignatureFinding? {
    try signature(where: "file.decoding_id = ? AND file.status = 'ok'", decodingID)
  }

  private func signature(where condition: String, _ id: ContentID) throws(StoreError) -> SignatureFinding? {
    try read { db in
      var select = SelectList()
      let file = select.add("file.id")
      guard let reader = try FindingReader(SignatureFinding.self, long: nil, existing: existing, &select, db) else {
        return nil
      }
      let order = "signature.version DESC, file.status = 'ok' DESC, file.id LIMIT 1"
      let query = try Query(
        db, select.sql(where: "\(condition) AND signature.file IS NOT NULL ORDER BY \(order)"))
      let found = try query.first(.text(id.description)) { try reader.read(query, query.integer(file)) } ?? nil
      return found as? SignatureFinding
    }
  }
}
