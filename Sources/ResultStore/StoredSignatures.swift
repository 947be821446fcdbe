public import AudioAnalysis

extension ResultStore {
  /// The signature of some audio, from whichever file has it; `nil` if none has.
  public func signature(of content: ContentID) throws(StoreError) -> SignatureFinding? {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT s.version, s.landmarks, s.data FROM file f JOIN signature s ON s.file = f.id
        WHERE f.content_id = ? ORDER BY s.version DESC LIMIT 1
        """)
      return try select.first(.text(content.description)) {
        SignatureFinding(
          version: Int(select.integer(0)), landmarkCount: Int(select.integer(1)), data: Array(select.bytes(2)))
      }
    }
  }
}
