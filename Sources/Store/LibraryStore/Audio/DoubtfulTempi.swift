public import Analysis
internal import GRDB
internal import Platform
public import ResultStore
public import SystemPackage

/// A tempo from the analyzer that no user has confirmed or corrected yet.
public struct DoubtfulTempo: Hashable, Sendable {
  public var audio: ContentID
  /// Path of the first file with this audio.
  public var path: FilePath
  /// Tempo in beats per minute.
  public var bpm: Double
  public var confidence: Double
  /// `true` if the tempo was skipped in an earlier review.
  public var wasSkipped: Bool
}

extension ResultStore {
  /// Returns the uncorrected tempi with less than this confidence, one for each distinct audio of existing files. The
  /// least confident tempi come first. Tempi that were skipped in a review come last, in the same order.
  public func doubtfulTempi(below confidence: Double) throws(StoreError) -> [DoubtfulTempo] {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT f.content_id, min(f.path), o.bpm, o.confidence, s.content_id IS NOT NULL AS skipped
        FROM tempo o JOIN file f ON f.id = o.file
        LEFT JOIN tempo_correction c ON c.content_id = f.content_id
        LEFT JOIN tempo_skip s ON s.content_id = f.content_id
        WHERE o.confidence < ? AND o.bpm IS NOT NULL AND f.vanished_run IS NULL AND f.content_id IS NOT NULL
          AND c.content_id IS NULL
        GROUP BY f.content_id
        ORDER BY skipped, o.confidence, f.path
        """)
      var found: [DoubtfulTempo] = []
      try select.forEachRow(.real(confidence)) {
        guard let audio = ContentID(select.text(0)) else { return }
        found.append(
          DoubtfulTempo(
            audio: audio, path: select.path(1), bpm: select.real(2), confidence: select.real(3),
            wasSkipped: select.flag(4)))
      }
      return found
    }
  }

  /// Marks the tempo of some audio as skipped in a review, or removes that mark. A correction also removes the mark.
  public func skipTempo(of audio: ContentID, _ isSkipped: Bool = true) throws(StoreError) {
    try write { db in
      if isSkipped {
        try Query(db, "INSERT OR REPLACE INTO tempo_skip (content_id, skipped_ns) VALUES (?, ?)")
          .run(.text(audio.description), .integer(Timestamp.now.nanoseconds))
      } else {
        try Query(db, "DELETE FROM tempo_skip WHERE content_id = ?").run(.text(audio.description))
      }
    }
  }
}
