internal import GRDB
public import Platform
public import SystemPackage

/// An event in the history of a file: a row of the view `file_history`.
public struct FileEvent: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case firstSeen = "first_seen"
    case analyzed, verified, vanished
    /// A scan found a different size or time, and the file was analyzed again.
    case changed
    case moved
    /// An analysis found damage, or failed.
    case damaged, failed
    /// The file is intact again, or has its former bytes again.
    case recovered, restored
    case changedSilently = "changed_silently"
    case unreadable
    /// A person has accepted the present bytes.
    case accepted
  }

  public var kind: Kind
  /// The time of the event; `nil` if unknown.
  public var time: Timestamp?
  /// The run in which the event occurred; `nil` outside of runs.
  public var run: Int64?
  public var detail: String?

  public init(kind: Kind, time: Timestamp?, run: Int64?, detail: String?) {
    self.kind = kind
    self.time = time
    self.run = run
    self.detail = detail
  }
}

extension ResultStore {
  /// Returns the stored checksum of a file; `nil` if there is none.
  public func checksum(at path: FilePath) throws(StoreError) -> StoredChecksum? {
    try read { db in
      let file = try Query(db, "SELECT id FROM file WHERE path = ?")
      guard let id = try file.first(.path(path), body: { file.integer(0) }) else { return nil }
      return try Checksums.read(file: id, in: db)
    }
  }

  /// Returns the known events of a file, sorted by time, or by the start of the run where the time is unknown.
  public func events(at path: FilePath) throws(StoreError) -> [FileEvent] {
    try read { db in
      let file = try Query(db, "SELECT id FROM file WHERE path = ?")
      guard let id = try file.first(.path(path), body: { file.integer(0) }) else { return [] }
      let select = try Query(
        db,
        """
        SELECT h.event, h.at_ns, h.run, h.detail FROM file_history h LEFT JOIN run r ON r.id = h.run
        WHERE h.file = ? ORDER BY coalesce(h.at_ns, r.started_ns), h.event <> 'first_seen', h.event = 'verified'
        """)
      var events: [FileEvent] = []
      try select.forEachRow(.integer(id)) {
        guard let kind = FileEvent.Kind(rawValue: select.text(0)) else { return }
        events.append(
          FileEvent(
            kind: kind, time: select.optionalInteger(1).map { Timestamp(nanoseconds: $0) },
            run: select.optionalInteger(2), detail: select.optionalText(3)))
      }
      return events
    }
  }
}

/// Writes the table `file_event`.
enum FileEvents {
  static func add(
    _ kind: FileEvent.Kind, file: Int64, at time: Timestamp, run: Int64?, _ detail: String? = nil, in db: Database
  ) throws {
    try Query(db, "INSERT INTO file_event (file, event, at_ns, run, detail) VALUES (?, ?, ?, ?, ?)")
      .run(.integer(file), .text(kind.rawValue), .integer(time.nanoseconds), .integer(run), .text(detail))
  }
}
