import Text

@testable import Server

/// A schema of the OpenAPI document, and whether an answer is as it says: no member missing, none that the schema does not
/// have, and each of its type.
struct AnswerSchema {
  let schema: JSONValue

  /// What is otherwise; empty if nothing is.
  func differences(of value: JSONValue, at place: String = "answer") -> [String] {
    if case .string(let reference) = schema["$ref"] {
      let name = reference.split(separator: "/").last.map(String.init) ?? ""
      guard let schema = APISchemas.all[name] else { return ["\(place): there is no schema \(name)"] }
      return Self(schema: schema).differences(of: value, at: place)
    }
    let alternatives = schema["anyOf"].list
    if !alternatives.isEmpty {
      let each = alternatives.map { Self(schema: $0).differences(of: value, at: place) }
      // Those of null say nothing about a value that is none.
      return each.contains([]) ? [] : each.max { $0.count < $1.count } ?? []
    }
    let types = schema["type"].list.map(\.text)
    if types.contains("null"), value == .null { return [] }
    switch (types.first ?? schema["type"].text, value) {
    case ("", _), ("string", .string), ("boolean", .bool), ("null", .null), ("number", .integer), ("number", .number),
      ("integer", .integer):
      return []
    case ("array", .array(let items)):
      let item = Self(schema: schema["items"])
      return items.enumerated().flatMap { item.differences(of: $1, at: "\(place)[\($0)]") }
    case ("object", .object(let members)):
      return differences(of: members, at: place)
    case (let type, _):
      return ["\(place): no \(type)"]
    }
  }

  private func differences(of members: [String: JSONValue], at place: String) -> [String] {
    var properties: [String: JSONValue] = [:]
    if case .object(let known) = schema["properties"] { properties = known }
    let others: JSONValue? = if case .object(let all) = schema { all["additionalProperties"] } else { nil }
    let missing = schema["required"].list.map(\.text).filter { members[$0] == nil }
    return missing.map { "\(place) has no \($0)" }
      + members.sorted { $0.key < $1.key }.flatMap { name, value in
        (properties[name] ?? others).map { Self(schema: $0).differences(of: value, at: "\(place).\(name)") }
          ?? ["\(place).\(name) is in no schema"]
      }
  }
}
