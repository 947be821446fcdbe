public import Analysis

extension ResultStore {
  /// The signature of some audio, of a whole file if there is one; `nil` if none has any.
  public func signature(of content: ContentID) throws(StoreError) -> SignatureFinding? {
    try signature(where: "f.content_id = ?", content)
  }

  /// The signature of a whole file that decodes to the same as one with this `FileAnalysis.decodingID`.
  public func signature(decodingID: ContentID) throws(StoreError) -> SignatureFinding? {
    try signature(where: "f.decoding_id = ? AND f.status = 'ok'", decodingID)
  }

  private func signature(where condition: String, _ id: ContentID) throws(StoreError) -> SignatureFinding? {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT s.version, s.landmarks, s.data FROM file f JOIN signature s ON s.file = f.id
        WHERE \(condition) ORDER BY s.version DESC, f.status = 'ok' DESC, f.id LIMIT 1
        """)
      return try select.first(.text(id.description)) {
        SignatureFinding(
          version: Int(select.integer(0)), landmarkCount: Int(select.integer(1)), data: Array(select.bytes(2)))
      }
    }
  }
}
