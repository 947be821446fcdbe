package import GRDB
internal import GRDBSQLite

/// A set of track ids, with one bit for each. With a million tracks, an index returns the matches of a condition within
/// a few milliseconds, whereas reading each row would take a second. Conditions are combined bit by bit.
package struct TrackSet {
  private var bits: [UInt64] = []
  /// `true` if the set contains all tracks except those whose bits are set.
  private var isComplement: Bool

  package static let none = TrackSet(isComplement: false)
  package static let all = TrackSet(isComplement: true)

  private init(bits: [UInt64] = [], isComplement: Bool) {
    self.bits = bits
    self.isComplement = isComplement
  }

  package var isAll: Bool { isComplement && bits.allSatisfy { $0 == 0 } }

  /// Creates a set of the ids that a query finds.
  /// - Parameters:
  ///   - source: The SQL after FROM.
  ///   - limit: Maximum number of ids; `nil` for all.
  package init(_ db: Database, _ id: String, from source: String, _ values: [SQLValue], limit: Int? = nil) throws {
    let ids = limit == nil ? (id, source) : ("id", "(SELECT \(id) AS id FROM \(source) LIMIT ?)")
    let select = try Query(db, "SELECT track_set(\(ids.0)) FROM \(ids.1)")
    let bits = try select.first(values + (limit.map { [.integer($0)] } ?? [])) { Self.words(of: select.bytes(0)) }
    self.init(bits: bits ?? [], isComplement: false)
  }

  /// - Parameter all: Total number of tracks.
  package func count(ofAll all: @autoclosure () throws -> Int) rethrows -> Int {
    isComplement ? try all() - markedCount : markedCount
  }

  private var markedCount: Int { bits.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// Returns the ids in ascending order; `nil` if there are more than `limit`, or if the set is a complement.
  package func ids(atMost limit: Int) -> [Int64]? {
    if isComplement || markedCount > limit { return nil }
    var ids: [Int64] = []
    for (word, var rest) in bits.enumerated() {
      while rest != 0 {
        ids.append(Int64(word << 6 + rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
    return ids
  }

  package var complement: TrackSet {
    var set = self
    set.isComplement.toggle()
    return set
  }

  package func union(_ other: TrackSet) -> TrackSet { complement.intersection(other.complement).complement }

  package func intersection(_ other: TrackSet) -> TrackSet {
    switch (isComplement, other.isComplement) {
    case (false, false): combined(other) { $0 & $1 }
    case (false, true): combined(other) { $0 & ~$1 }
    case (true, false): other.intersection(self)
    case (true, true): combined(other) { $0 | $1 }
    }
  }

  private func combined(_ other: TrackSet, _ combine: (UInt64, UInt64) -> UInt64) -> TrackSet {
    let count = max(bits.count, other.bits.count)
    let both = [UInt64](unsafeUninitializedCapacity: count) { combined, initialized in
      for word in 0..<count {
        combined[word] = combine(word < bits.count ? bits[word] : 0, word < other.bits.count ? other.bits[word] : 0)
      }
      initialized = count
    }
    return TrackSet(bits: both, isComplement: isComplement)
  }

  // MARK: SQL

  /// Returns a condition that is true if a track is in the set bound to its parameter.
  /// - Parameter parameter: Number of the parameter, for statements that number their parameters.
  package static func condition(on column: String, parameter: Int? = nil) -> String {
    "in_track_set(?\(parameter.map(String.init) ?? ""), \(column))"
  }

  /// A bound argument. It must outlive the statements that use it.
  package final class Argument {
    /// The words to bind: 1 for a complement, the number of words, then the words of the set.
    fileprivate let words: UnsafeMutablePointer<UInt64>

    package init(_ set: TrackSet) {
      words = .allocate(capacity: set.bits.count + 2)
      unsafe words[0] = set.isComplement ? 1 : 0
      unsafe words[1] = UInt64(set.bits.count)
      for (index, word) in set.bits.enumerated() { unsafe words[index + 2] = word }
    }

    deinit { unsafe words.deallocate() }

    var pointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(words) }
  }

  /// Adds the functions to a connection. GRDB's own functions create an object for each argument, which is too slow for
  /// a million calls.
  package static func addFunctions(to db: Database) throws {
    try addMembership(to: db)
    try addCollection(to: db)
  }

  /// Bits that are collected while a statement finds ids. Returning the rows one by one takes twice as long.
  private struct Words {
    var start: UnsafeMutablePointer<UInt64>?
    var count: Int

    /// The range of ids. Only a damaged database contains other ids.
    private static let ids: Range<Int64> = 0..<1 << 32

    /// - Returns: `false` if memory ran out.
    mutating func insert(_ id: Int64) -> Bool {
      guard Self.ids.contains(id) else { return true }
      let word = Int(id >> 6)
      guard word < count || grow(to: max(word + 1, 2 * count)) else { return false }
      unsafe start?[word] |= 1 << UInt64(id & 63)
      return true
    }

    private mutating func grow(to newCount: Int) -> Bool {
      let bytes = newCount * MemoryLayout<UInt64>.size
      guard
        let more = unsafe sqlite3_realloc64(start, sqlite3_uint64(bytes))?.bindMemory(
          to: UInt64.self, capacity: newCount)
      else {
        return false
      }
      unsafe (more + count).initialize(repeating: 0, count: newCount - count)
      unsafe (start, count) = (more, newCount)
      return true
    }
  }

  /// Adds the aggregate function `track_set`. Its result is a blob of words in which the ids are marked; NULL if there
  /// are none.
  private static func addCollection(to db: Database) throws {
    let code = unsafe sqlite3_create_function_v2(
      db.sqliteConnection, "track_set", 1, SQLITE_UTF8, nil, nil,
      { context, _, arguments in
        // Zero-initialized on the first call.
        let words = unsafe sqlite3_aggregate_context(context, Int32(MemoryLayout<Words>.size))
        guard let words = unsafe words?.assumingMemoryBound(to: Words.self), let arguments = unsafe arguments else {
          return
        }
        if unsafe !words.pointee.insert(sqlite3_value_int64(arguments[0])) {
          unsafe sqlite3_result_error_nomem(context)
        }
      },
      { context in
        guard let words = unsafe sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: Words.self) else {
          return
        }
        let bytes = unsafe words.pointee.count * MemoryLayout<UInt64>.size
        unsafe sqlite3_result_blob64(context, words.pointee.start, sqlite3_uint64(bytes)) { sqlite3_free($0) }
      }, nil)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  private static func words(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt64] {
    [UInt64](unsafeUninitializedCapacity: bytes.count / MemoryLayout<UInt64>.size) { words, count in
      unsafe UnsafeMutableRawBufferPointer(words).copyMemory(from: UnsafeRawBufferPointer(bytes))
      count = words.count
    }
  }

  private static func addMembership(to db: Database) throws {
    let code = unsafe sqlite3_create_function_v2(
      db.sqliteConnection, "in_track_set", 2, SQLITE_UTF8, nil,
      { context, _, arguments in
        guard let arguments = unsafe arguments,
          let words = unsafe sqlite3_value_pointer(arguments[0], TrackSet.pointerType)?
            .assumingMemoryBound(to: UInt64.self)
        else {
          unsafe sqlite3_result_int(context, 0)
          return
        }
        let id = unsafe sqlite3_value_int64(arguments[1])
        let word = UInt64(bitPattern: id >> 6)
        let isMarked = unsafe word < words[1] && words[Int(word) + 2] >> UInt64(id & 63) & 1 == 1
        unsafe sqlite3_result_int(context, isMarked != (words[0] == 1) ? 1 : 0)
      }, nil, nil, nil)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  /// The pointer type for `sqlite3_bind_pointer`; it must be static.
  package nonisolated(unsafe) static let pointerType: UnsafePointer<CChar> = {
    let name = "TrackSet"
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: name.utf8.count + 1)
    for (index, byte) in name.utf8.enumerated() { unsafe text[index] = CChar(byte) }
    unsafe text[name.utf8.count] = 0
    return unsafe UnsafePointer(text)
  }()
}
