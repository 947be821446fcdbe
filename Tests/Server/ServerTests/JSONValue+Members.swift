import Text

extension JSONValue {
  /// The member; null if missing.
  subscript(name: String) -> JSONValue {
    if case .object(let members) = self { members[name] ?? .null } else { .null }
  }

  subscript(index: Int) -> JSONValue { list.indices.contains(index) ? list[index] : .null }

  /// Empty for anything but an array.
  var list: [JSONValue] { if case .array(let values) = self { values } else { [] } }

  /// Empty for anything but a text.
  var text: String { if case .string(let text) = self { text } else { "" } }
}
