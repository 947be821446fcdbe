internal import Text

/// The content of a response, which is the same for both of Subsonic's formats: JSON, and XML in which the member
/// `value` becomes text, other plain members become attributes, and objects and lists become elements.
enum SubsonicValue: Sendable, Equatable {
  case text(String)
  case integer(Int64)
  case number(Double)
  case flag(Bool)
  case object(SubsonicObject)
  /// A list; in XML, one element for each value.
  case list([SubsonicValue])
}

struct SubsonicObject: Sendable, Equatable {
  private(set) var members: [(name: String, value: SubsonicValue)] = []

  static func == (one: SubsonicObject, other: SubsonicObject) -> Bool {
    one.members.elementsEqual(other.members) { $0 == $1 }
  }

  /// Adds a member, or nothing if the value is `nil`.
  mutating func put(_ name: String, _ value: SubsonicValue?) {
    if let value { members.append((name, value)) }
  }

  mutating func put(_ name: String, _ value: String?) { put(name, value.map { .text($0) }) }
  mutating func put(_ name: String, _ value: Int?) { put(name, value.map { .integer(Int64($0)) }) }
  mutating func put(_ name: String, _ value: Int64?) { put(name, value.map { .integer($0) }) }
  mutating func put(_ name: String, _ value: Double?) { put(name, value.map { .number($0) }) }
  mutating func put(_ name: String, _ value: Bool?) { put(name, value.map { .flag($0) }) }
  mutating func put(_ name: String, _ values: [SubsonicObject]) { put(name, .list(values.map { .object($0) })) }
  mutating func put(_ name: String, _ values: [String]) { put(name, .list(values.map { .text($0) })) }

  /// Adds an object as a member.
  mutating func put(_ name: String, _ fill: (inout SubsonicObject) throws -> Void) rethrows {
    var object = SubsonicObject()
    try fill(&object)
    put(name, .object(object))
  }

  static func make(_ fill: (inout SubsonicObject) throws -> Void) rethrows -> SubsonicObject {
    var object = SubsonicObject()
    try fill(&object)
    return object
  }
}

// MARK: - JSON

extension JSONWriter {
  mutating func subsonic(_ value: SubsonicValue) {
    switch value {
    case .text(let text): string(text)
    case .integer(let number): integer(number)
    case .number(let value): number(value)
    case .flag(let flag): bool(flag)
    case .object(let object):
      beginObject()
      for member in object.members {
        key(member.name)
        subsonic(member.value)
      }
      endObject()
    case .list(let values):
      beginArray()
      for value in values { subsonic(value) }
      endArray()
    }
  }
}

// MARK: - XML

struct XMLWriter {
  private(set) var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"

  /// - Parameter namespace: The namespace of the outermost element.
  mutating func element(_ name: String, _ value: SubsonicValue, namespace: String? = nil) {
    switch value {
    case .list(let values):
      for value in values { element(name, value) }
    case .object(let object):
      text += "<\(name)"
      if let namespace { text += " xmlns=\"\(namespace)\"" }
      var content: [(name: String, value: SubsonicValue)] = []
      for member in object.members {
        if member.name != "value", let plain = Self.plain(member.value) {
          text += " \(member.name)=\"\(XMLText.escaped(plain))\""
        } else {
          content.append(member)
        }
      }
      if content.isEmpty {
        text += "/>"
        return
      }
      text += ">"
      for member in content {
        if let plain = Self.plain(member.value) {
          text += XMLText.escaped(plain)
        } else {
          element(member.name, member.value)
        }
      }
      text += "</\(name)>"
    default: text += "<\(name)>\(XMLText.escaped(Self.plain(value) ?? ""))</\(name)>"
    }
  }

  private static func plain(_ value: SubsonicValue) -> String? {
    switch value {
    case .text(let text): text
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .flag(let flag): flag ? "true" : "false"
    case .object, .list: nil
    }
  }
}
