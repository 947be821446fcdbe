public import Filters
internal import Text

/// An order of tracks. Tracks without a value come last. Ties are broken by id.
public struct TrackOrder: Sendable, Hashable {
  public enum Key: String, Sendable, Hashable, CaseIterable {
    /// Sorts by the bytes of the path.
    case path
    case artist, title, album, year, bpm, confidence
    /// Sorts around the Camelot wheel: 1A, 1B, 2A, …
    case key
    case lufs, duration, added

    /// - Parameter name: The name of the key, or of the corresponding column in the CSV report.
    init?(name: String) {
      guard
        let key = Self(rawValue: name)
          ?? Self.allCases.first(where: { key in
            FilterField(rawValue: key.rawValue)?.reported == name
          })
      else { return nil }
      self = key
    }
  }

  enum Field: Sendable, Hashable {
    case key(Key)
    case finding(FindingColumn)
  }

  let field: Field
  public let isDescending: Bool

  public init(_ key: Key, isDescending: Bool = false) {
    field = .key(key)
    self.isDescending = isDescending
  }

  /// - Parameters:
  ///   - text: A key or a column name, with a leading `-` for descending order.
  ///   - columns: Columns of findings.
  public init(parsing text: String, columns: [FindingColumn]) throws(UnknownOrder) {
    isDescending = text.hasPrefix("-")
    let name = isDescending ? String(text.dropFirst()) : text
    if let key = Key(name: name) {
      field = .key(key)
    } else if let column = columns.first(where: { $0.name == name }) {
      field = .finding(column)
    } else {
      let keys = Key.allCases.map(\.rawValue)
      let nearest = Suggestion.nearest(to: name, in: keys + columns.map(\.name))
      throw UnknownOrder(
        name: name, hint: nearest.map { "did you mean '\($0)'?" } ?? Suggestion.hint(for: name, in: keys))
    }
  }

  public static let path = TrackOrder(.path)

  /// The tables to read. The first one has the index for this order, if there is one.
  var source: String { isByPath ? "file CROSS JOIN song ON song.id = file.id" : "song" }
  var id: String { isByPath ? "file.id" : "song.id" }
  private var isByPath: Bool { field == .key(.path) }

  /// - Parameter tables: Tables in the database.
  func sql(_ tables: Set<String>) -> String {
    let column =
      switch field {
      case .key(.path): "file.path"
      case .key(let key) where [.artist, .title, .album].contains(key): "song.\(key) COLLATE NOCASE"
      case .key(.key): "song.key_order"
      case .key(.duration): "song.duration_s"
      case .key(.added): "song.added_ns"
      case .key(let key): "song.\(key)"
      case .finding(let column) where tables.contains(column.table):
        "(SELECT \(column.column) FROM \(column.table) WHERE \(column.table).file = song.id)"
      case .finding: "NULL"
      }
    let direction = isDescending ? "DESC" : "ASC"
    return "\(column) \(direction) NULLS LAST, \(id) \(direction)"
  }
}

/// The error for an unknown sort order.
public struct UnknownOrder: Error, CustomStringConvertible {
  public let name: String
  let hint: String

  public var description: String { "there is no order '\(printable(name))'; \(hint)" }
}
