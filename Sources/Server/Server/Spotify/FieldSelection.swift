internal import HTTPTypes
internal import Serving
internal import Text

/// The parts of a response that the parameter `fields` of playlists selects. The parameter consists of comma-separated
/// names, with the names of inner objects after a dot or in parentheses, and `!` before excluded names, for example
/// `total,items(added_at,track(name,album(!images)))`.
/// https://developer.spotify.com/documentation/web-api/reference/get-playlist
struct FieldSelection: Equatable {
  /// The only members that are kept; if empty, all members outside `dropped` are kept.
  private var kept: [String: FieldSelection] = [:]
  private var dropped: Set<String> = []

  private static let maximumDepth = 16

  /// - Throws: `RequestError` if the text is not a list of fields.
  init(_ text: String) throws(RequestError) {
    var rest = text[...]
    self = try Self.list(&rest, depth: 0)
    guard rest.isEmpty else { throw Self.mistake }
  }

  private init() {}

  private static let mistake = RequestError(
    .badRequest, "fields takes names, such as total,items(track(name,album(!images))).")

  /// Parses a list up to its closing parenthesis or the end.
  private static func list(_ rest: inout Substring, depth: Int) throws(RequestError) -> FieldSelection {
    guard depth < maximumDepth else { throw mistake }
    var list = FieldSelection()
    repeat {
      rest = rest.drop { $0 == "," || $0 == " " }
      let isDropped = rest.first == "!"
      if isDropped { rest.removeFirst() }
      var names: [String] = []
      repeat {
        if rest.first == "." { rest.removeFirst() }
        let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        guard !name.isEmpty else { throw mistake }
        names.append(String(name))
        rest = rest[name.endIndex...]
      } while rest.first == "." && names.count < maximumDepth
      var inner = FieldSelection()
      if rest.first == "(" {
        rest.removeFirst()
        inner = try Self.list(&rest, depth: depth + 1)
        guard rest.first == ")" else { throw mistake }
        rest.removeFirst()
      }
      list.add(names[...], isDropped, inner)
      rest = rest.drop { $0 == " " }
    } while rest.first == ","
    return list
  }

  private mutating func add(_ names: ArraySlice<String>, _ isDropped: Bool, _ inner: FieldSelection) {
    guard let name = names.first else { return merge(inner) }
    if names.count == 1 && isDropped {
      dropped.insert(name)
    } else {
      kept[name, default: FieldSelection()].add(names.dropFirst(), isDropped, inner)
    }
  }

  private mutating func merge(_ other: FieldSelection) {
    kept.merge(other.kept) { one, two in
      var one = one
      one.merge(two)
      return one
    }
    dropped.formUnion(other.dropped)
  }

  /// Returns the selected parts of an object, or of each object in a list; other values are returned unchanged.
  func applied(to value: JSONValue) -> JSONValue {
    switch value {
    case .array(let values): return .array(values.map(applied))
    case .object(var members):
      for name in dropped { members[name] = nil }
      if !kept.isEmpty {
        members = members.filter { kept[$0.key] != nil }
        for (name, inner) in kept { members[name] = members[name].map(inner.applied) }
      }
      return .object(members)
    default: return value
    }
  }
}
