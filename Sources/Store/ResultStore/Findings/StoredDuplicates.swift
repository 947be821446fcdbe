public import Analysis
internal import GRDB

/// A pair of files with the same recording, as stored in the database.
public struct StoredPair: Hashable, Sendable {
  /// The content ids, in ascending order of their text.
  public var first: ContentID
  public var second: ContentID
  /// A value of `Relation`.
  public var relation: String
  /// A value of `Alignment.Basis`.
  public var basis: String
  public var coverage: Double
  public var agreement: Double
  public var speed: Double
  /// For each stretch, start and end in the first file, then start and end in the second, in seconds.
  public var stretches: [[Double]]

  public init(
    first: ContentID, second: ContentID, relation: String, basis: String, coverage: Double, agreement: Double,
    speed: Double, stretches: [[Double]]
  ) {
    self.first = first
    self.second = second
    self.relation = relation
    self.basis = basis
    self.coverage = coverage
    self.agreement = agreement
    self.speed = speed
    self.stretches = stretches
  }
}

/// The search keys of some audio, as bytes.
public struct SketchRow: Hashable, Sendable {
  public var content: ContentID
  public var method: Int
  public var fingerprint: [UInt8]
  public var signature: [UInt8]

  public init(content: ContentID, method: Int, fingerprint: [UInt8], signature: [UInt8]) {
    self.content = content
    self.method = method
    self.fingerprint = fingerprint
    self.signature = signature
  }
}

extension ResultStore {
  /// Stores search keys of audio.
  /// - Returns: The row id of each item.
  public func storeSketches(_ sketches: [SketchRow]) throws(StoreError) -> [Int64] {
    try write { db in
      let insert = try Query(
        db, "INSERT OR REPLACE INTO sound_sketch (content_id, method, fingerprint, signature) VALUES (?, ?, ?, ?)")
      return try sketches.map { sketch in
        try insert.run(
          .text(sketch.content.description), .integer(sketch.method), .blob(sketch.fingerprint), .blob(sketch.signature)
        )
        return db.lastInsertedRowID
      }
    }
  }

  /// Returns all pairs, in ascending order.
  public func duplicatePairs() throws(StoreError) -> [StoredPair] {
    try read { db in
      // A read-only database of an earlier version does not have the table.
      guard try db.tableExists("duplicate_pair") else { return [] }
      let query = try Query(
        db,
        """
        SELECT first, second, relation, basis, coverage, agreement, speed, stretches FROM duplicate_pair
        ORDER BY first, second
        """)
      var pairs: [StoredPair] = []
      try query.forEachRow {
        guard let first = ContentID(query.text(0)), let second = ContentID(query.text(1)) else { return }
        pairs.append(
          StoredPair(
            first: first, second: second, relation: query.text(2), basis: query.text(3), coverage: query.real(4),
            agreement: query.real(5), speed: query.real(6),
            stretches: NumberList.numbers(in: query.bytes(7)).chunks(of: 4)))
      }
      return pairs
    }
  }

  /// Stores the results of a comparison and removes earlier results for this audio.
  /// - Parameters:
  ///   - methods: The audio that was compared, with the method that was used for each.
  ///   - lost: Audio that is to be compared again if it comes back, since results for it are removed.
  public func storeDuplicates(
    _ pairs: [StoredPair], methods: [ContentID: Int], forgetting lost: Set<ContentID> = []
  ) throws(StoreError) {
    try write { db in
      let forget = try Query(db, "DELETE FROM duplicate_pair WHERE first = ? OR second = ?")
      let mark = try Query(db, "INSERT OR REPLACE INTO compared_sound (content_id, method) VALUES (?, ?)")
      for (content, method) in methods {
        let id = SQLValue.text(content.description)
        try forget.run(id, id)
        try mark.run(id, .integer(method))
      }
      let unmark = try Query(db, "DELETE FROM compared_sound WHERE content_id = ?")
      for content in lost { try unmark.run(.text(content.description)) }
      let insert = try Query(
        db,
        """
        INSERT OR REPLACE INTO duplicate_pair
          (first, second, relation, basis, coverage, agreement, speed, stretches) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)
      for pair in pairs {
        try insert.run(
          .text(pair.first.description), .text(pair.second.description), .text(pair.relation), .text(pair.basis),
          .real(pair.coverage), .real(pair.agreement), .real(pair.speed),
          .text(NumberList.text(ofTuples: pair.stretches.map { $0.map { .number($0) } })))
      }
    }
  }
}

extension [Double] {
  /// Splits the list into lists of `size` numbers each. If the last one is incomplete, it is dropped.
  fileprivate func chunks(of size: Int) -> [[Double]] {
    stride(from: 0, through: count - size, by: size).map { Array(self[$0..<$0 + size]) }
  }
}
