package import Analysis
internal import Text

/// Reads problems from columns, and lists of them from and to JSON.
package enum StoredProblem {
  /// Returns `nil` if there is no problem.
  package static func read(_ row: Query, stage: Int32, code: Int32, message: Int32) -> Problem? {
    guard let stage = Problem.Stage(rawValue: row.text(stage)) else { return nil }
    return Problem(stage: stage, code: row.text(code), message: row.text(message))
  }

  /// Returns `nil` for an empty list.
  static func json(_ problems: [Problem]) -> String? {
    if problems.isEmpty { return nil }
    let list = problems.map { problem in
      JSONValue.object([
        "stage": .string(problem.stage.rawValue), "code": .string(problem.code), "message": .string(problem.message),
      ])
    }
    return JSONValue.array(list).text
  }

  package static func list(fromJSON row: Query, column: Int32) -> [Problem] {
    guard !row.isNull(column), case .array(let list)? = try? JSONValue(parsing: row.bytes(column)) else { return [] }
    return list.compactMap { item in
      guard case .object(let members) = item, case .string(let stage)? = members["stage"],
        case .string(let code)? = members["code"], case .string(let message)? = members["message"],
        let stage = Problem.Stage(rawValue: stage)
      else { return nil }
      return Problem(stage: stage, code: code, message: message)
    }
  }
}
