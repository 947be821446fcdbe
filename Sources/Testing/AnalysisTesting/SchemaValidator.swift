internal import Foundation

/// Checks values read by `JSONSerialization` against the subset of JSON Schema that the report schemas use. An unknown
/// keyword is an error, so that no rule is silently ignored.
public struct SchemaValidator {
  private let root: [String: Any]
  private let isClosed: Bool

  /// - Parameter isClosed: `true` to reject members that a schema does not name, even if the schema allows them.
  public init(_ text: String, isClosed: Bool = false) throws {
    self.isClosed = isClosed
    root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
  }

  public func complaints(about value: Any) -> [String] { complaints(about: value, root, at: "$") }

  private func complaints(about value: Any, _ schema: [String: Any], at path: String) -> [String] {
    var complaints: [String] = []
    for (keyword, rule) in schema {
      switch keyword {
      case "$schema", "$defs", "title", "description": break
      case "$ref":
        let name = (rule as? String)?.components(separatedBy: "/").last ?? ""
        guard let target = (root["$defs"] as? [String: Any])?[name] as? [String: Any] else {
          return ["\(path): no \(rule)"]
        }
        complaints += self.complaints(about: value, target, at: path)
      case "type":
        let types = rule as? [String] ?? [rule as? String ?? ""]
        if !types.contains(where: { Self.hasType($0, value) }) {
          complaints.append("\(path): \(value) is not \(types)")
        }
      case "anyOf":
        let each = (rule as? [[String: Any]] ?? []).map { self.complaints(about: value, $0, at: path) }
        // The alternative with the longest complaints is reported, because the alternative `null` only complains that
        // the value is not null.
        if !each.contains(where: \.isEmpty) { complaints += each.max { $0.joined().count < $1.joined().count } ?? [] }
      case "minimum":
        if let number = value as? NSNumber, number.doubleValue < (rule as? NSNumber)?.doubleValue ?? 0 {
          complaints.append("\(path): \(number) is less than \(rule)")
        }
      case "enum":
        let choices = rule as? [Any] ?? []
        if !choices.contains(where: { ($0 as? NSObject) == (value as? NSObject) }) {
          complaints.append("\(path): \(value) is none of \(choices)")
        }
      case "const":
        if (rule as? NSObject) != (value as? NSObject) { complaints.append("\(path): \(value) is not \(rule)") }
      case "format":
        if let text = value as? String, !Self.hasFormat(rule as? String ?? "", text) {
          complaints.append("\(path): \(text) is no \(rule)")
        }
      case "required":
        guard let object = value as? [String: Any] else { break }
        for name in rule as? [String] ?? [] where object[name] == nil { complaints.append("\(path): no \(name)") }
      case "properties", "additionalProperties":
        break
      case "items":
        guard let list = value as? [Any], let item = rule as? [String: Any] else { break }
        for (index, element) in list.enumerated() {
          complaints += self.complaints(about: element, item, at: "\(path)[\(index)]")
        }
      case "minItems":
        if let list = value as? [Any], list.count < rule as? Int ?? 0 { complaints.append("\(path): too short") }
      case "minProperties":
        if let object = value as? [String: Any], object.count < rule as? Int ?? 0 {
          complaints.append("\(path): empty")
        }
      default: complaints.append("unknown keyword \(keyword)")
      }
    }
    if let object = value as? [String: Any] {
      let properties = schema["properties"] as? [String: Any] ?? [:]
      for (name, member) in object {
        if let rule = properties[name] as? [String: Any] {
          complaints += self.complaints(about: member, rule, at: "\(path).\(name)")
        } else if let rule = schema["additionalProperties"] as? [String: Any] {
          complaints += self.complaints(about: member, rule, at: "\(path).\(name)")
        } else if schema["additionalProperties"] as? Bool == false || isClosed && schema["properties"] != nil {
          complaints.append("\(path): unexpected \(name)")
        }
      }
    }
    return complaints
  }

  private static func hasType(_ type: String, _ value: Any) -> Bool {
    switch (type, value) {
    case ("null", is NSNull), ("object", is [String: Any]), ("array", is [Any]), ("string", is String): return true
    case ("boolean", let number as NSNumber): return isBoolean(number)
    case ("number", let number as NSNumber): return !isBoolean(number)
    case ("integer", let number as NSNumber):
      return !isBoolean(number) && number.doubleValue == number.doubleValue.rounded()
    default: return false
    }
  }

  private static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

  private static func hasFormat(_ format: String, _ text: String) -> Bool {
    switch format {
    case "date-time": text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil
    case "uri": text.wholeMatch(of: /file:\/\/\/([A-Za-z0-9._~\/-]|%[0-9A-F]{2})*/) != nil
    default: false
    }
  }
}
