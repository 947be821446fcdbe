public import Analysis
internal import GRDB
internal import Platform
public import SystemPackage

/// The fingerprints of files that have not changed since their analysis, for a program that does not write to the
/// database and must not be kept waiting by it.
///
/// The database is opened read-only, whatever its schema is. Anything that cannot be read within `patience` counts as
/// unknown. Use the value on one thread at a time.
public struct KnownFingerprints {
  public struct Fingerprint: Sendable {
    public var finding: FingerprintFinding
    /// Duration of the decoded audio, in seconds.
    public var audioDuration: Double
    /// Duration that the file claims, in seconds; the decoded duration if the claim is missing or an estimate.
    public var duration: Double
    public var sampleRate: Double
    /// The same as `AudioFormat.codec`.
    public var codec: String
  }

  private let database: DatabaseQueue
  private let version: Int

  /// Maximum time to wait for another process that has exclusive access, in seconds.
  private static let patience = 0.2

  /// Returns `nil` if there is no database of this program, or if it cannot be read now.
  /// - Parameter version: The version of the analyzer that must have produced the findings.
  public init?(path: FilePath, version: Int) {
    guard let name = path.withBytes({ unsafe String(validating: $0, as: UTF8.self) }),
      let size = ResultStore.fileSize(of: name), size > 0
    else { return nil }
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(Self.patience)
    // Without a write-ahead log, there is no writer. Unless told so by `immutable`, SQLite would create the files of
    // the log even to read.
    let isAtRest = ResultStore.fileSize(of: name + "-wal") ?? 0 == 0
    let uri = isAtRest ? "file:\(FilePath(name).percentEncoded)?immutable=1" : name
    guard let database = try? DatabaseQueue(path: uri, configuration: configuration),
      (try? database.read({ db in try Int.fetchOne(db, sql: "PRAGMA application_id") })) == Schema.applicationID
    else { return nil }
    self.database = database
    self.version = version
  }

  /// Returns the fingerprint of a file; `nil` if none is known, or the file has changed or was not read completely.
  public func fingerprint(at path: FilePath) -> Fingerprint? {
    guard let identity = FileIdentity(path), identity.isRegularFile else { return nil }
    return places(of: path).lazy.compactMap { fingerprint(at: $0, identity) }.first
  }

  /// Returns the path as a run would name it, and the path without symbolic links.
  private func places(of path: FilePath) -> [FilePath] {
    var whole = path
    if !path.isAbsolute {
      guard let folder = FilePath.currentFolderIfAny else { return [] }
      whole = folder.pushing(path)
    }
    whole.lexicallyNormalize()
    guard let resolved = try? path.resolved() else { return [whole] }
    return resolved == whole ? [whole] : [whole, resolved]
  }

  private func fingerprint(at path: FilePath, _ identity: FileIdentity) -> Fingerprint? {
    try? database.read { db in
      // If the file is waiting for any reason other than `outdated`, the stored data may describe other content.
      let query = try Query(
        db,
        """
        SELECT f.algorithm, f.duration_s, f.value, m.sample_rate_hz, m.frames, m.claimed_frames, m.claim_is_estimated,
          m.codec
        FROM file JOIN fingerprint f ON f.file = file.id JOIN format m ON m.file = file.id
          JOIN analysis a ON a.file = file.id JOIN analyzer n ON n.id = a.analyzer
        WHERE file.path = ? AND file.size_bytes = ? AND file.mtime_ns = ? AND file.status = 'ok'
          AND file.vanished_run IS NULL AND file.pending & 7 IN (0, \(PendingReason.outdated.rawValue))
          AND n.name = ? AND n.version = ? AND a.outcome = 'ok' AND m.frames > 0 AND m.sample_rate_hz > 0
        """)
      return try query.first(
        .path(path), .integer(identity.size), .integer(identity.modified.nanoseconds),
        .text(FingerprintFinding.analyzer), .integer(version)
      ) {
        let rate = Double(query.integer(3))
        let frames = Double(query.integer(4))
        let claimed = query.integer(6) == 0 ? query.optionalInteger(5) ?? 0 : 0
        return Fingerprint(
          finding: FingerprintFinding(algorithm: query.text(0), duration: query.real(1), value: query.text(2)),
          audioDuration: frames / rate, duration: (claimed > 0 ? Double(claimed) : frames) / rate,
          sampleRate: rate, codec: query.text(7))
      }
    }
  }
}
