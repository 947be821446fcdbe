internal import Records

extension TrackColumns.Status {
  init(of record: FileRecord) {
    self =
      switch record.status {
      case _ where record.isVanished: .notAnalyzed
      case .ok: .healthy
      case .partial: .damaged
      case .failed: .failed
      case .skipped: .notAnalyzed
      }
  }
}
