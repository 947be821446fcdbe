internal import GRDB
internal import GRDBSQLite

/// Ids of tracks: a bit each. At a million tracks an index says what a condition matches in some milliseconds, while looking
/// at each row would take a second; conditions are joined bit by bit.
struct TrackSet {
  private var bits: [UInt64] = []
  /// It holds all tracks but those whose bits are set.
  private var isComplement: Bool

  static let none = TrackSet(isComplement: false)
  static let all = TrackSet(isComplement: true)

  private init(isComplement: Bool) {
    self.isComplement = isComplement
  }

  var isAll: Bool { isComplement && bits.allSatisfy { $0 == 0 } }

  mutating func insert(_ id: Int64) {
    let word = Int(id >> 6)
    if word >= bits.count { bits += Array(repeating: 0, count: max(word + 1, 2 * bits.count) - bits.count) }
    bits[word] |= 1 << UInt64(id & 63)
  }

  /// - Parameter all: How many tracks there are.
  func count(ofAll all: Int) -> Int {
    let marked = bits.reduce(0) { $0 + $1.nonzeroBitCount }
    return isComplement ? all - marked : marked
  }

  /// Ascending; `nil` if they are not known one by one.
  var ids: [Int64]? {
    if isComplement { return nil }
    var ids: [Int64] = []
    for (word, var rest) in bits.enumerated() {
      while rest != 0 {
        ids.append(Int64(word << 6 + rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
    return ids
  }

  var complement: TrackSet {
    var set = self
    set.isComplement.toggle()
    return set
  }

  func union(_ other: TrackSet) -> TrackSet { complement.intersection(other.complement).complement }

  func intersection(_ other: TrackSet) -> TrackSet {
    switch (isComplement, other.isComplement) {
    case (false, false): combined(other) { $0 & $1 }
    case (false, true): combined(other) { $0 & ~$1 }
    case (true, false): other.intersection(self)
    case (true, true): combined(other) { $0 | $1 }
    }
  }

  private func combined(_ other: TrackSet, _ combine: (UInt64, UInt64) -> UInt64) -> TrackSet {
    var set = self
    set.bits = (0..<max(bits.count, other.bits.count)).map { word in
      combine(word < bits.count ? bits[word] : 0, word < other.bits.count ? other.bits[word] : 0)
    }
    return set
  }

  // MARK: SQL

  /// The condition that a track is in the set that is bound before its id.
  static func condition(on column: String) -> String { "in_track_set(?, \(column))" }

  /// What is bound: lives as long as statements use it.
  final class Argument {
    /// First 1 for a complement, then how many words follow, then the words.
    fileprivate let words: UnsafeMutablePointer<UInt64>

    init(_ set: TrackSet) {
      words = .allocate(capacity: set.bits.count + 2)
      unsafe words[0] = set.isComplement ? 1 : 0
      unsafe words[1] = UInt64(set.bits.count)
      for (index, word) in set.bits.enumerated() { unsafe words[index + 2] = word }
    }

    deinit { unsafe words.deallocate() }

    var pointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(words) }
  }

  /// Adds the function to a connection. GRDB's own make an object of each argument, a million times too often.
  static func addFunction(to db: Database) throws {
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

  /// By which SQLite tells pointers apart; it wants a text that stays.
  nonisolated(unsafe) static let pointerType: UnsafePointer<CChar> = {
    let name = "TrackSet"
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: name.utf8.count + 1)
    for (index, byte) in name.utf8.enumerated() { unsafe text[index] = CChar(byte) }
    unsafe text[name.utf8.count] = 0
    return unsafe UnsafePointer(text)
  }()
}
