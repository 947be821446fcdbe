import Foundation
import Testing

/// Page as its script reads it.
struct DecodedPage {
  let html: String
  let library: [String: Any]
  let columns: [String: Any]
  let details: [String: Any]

  init(_ data: Data) throws {
    let html = try #require(String(data: data, encoding: .utf8))
    self.html = html
    func element(_ id: String) throws -> [String: Any] {
      let text = try Self.text(ofElement: id, in: html)
      return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
    library = try element("library")
    columns = try element("columns")
    details = try element("details")
  }

  private static func text(ofElement id: String, in html: String) throws -> String {
    let start = try #require(html.range(of: "<script type=\"application/json\" id=\"\(id)\">"))
    let end = try #require(html.range(of: "</script>", range: start.upperBound..<html.endIndex))
    return String(html[start.upperBound..<end.lowerBound])
  }

  /// JSON as it is on the page.
  func text(ofElement id: String) throws -> String { try Self.text(ofElement: id, in: html) }

  var rows: Int { columns["rows"] as? Int ?? -1 }
  private var lists: [String: Any] { columns["columns"] as? [String: Any] ?? [:] }
  var names: Set<String> { Set(lists.keys) }

  func dictionary(_ name: String) -> [String] {
    (columns["dictionaries"] as? [String: Any])?[name] as? [String] ?? []
  }

  /// Values of a packed column; `nil` for no value. Empty if the column is missing.
  func numbers(_ name: String) throws -> [Double?] {
    guard let column = lists[name] as? [String: Any] else { return [] }
    let width = try #require(column["bytes"] as? Int)
    let data = try #require((column["data"] as? String).flatMap { Data(base64Encoded: $0) })
    let scale = column["scale"] as? Double ?? 1
    let offset = column["offset"] as? Double ?? 0
    #expect(data.count == rows * width)
    return (0..<rows).map { row in
      let raw = (0..<width).reduce(0) { $0 | Int(data[row * width + $1]) << (8 * $1) }
      return raw == 1 << (8 * width) - 1 ? nil : (Double(raw) + offset) / scale
    }
  }

  /// Texts of a column with a dictionary.
  func texts(_ name: String) throws -> [String?] {
    let dictionary = dictionary(name)
    return try numbers(name).map { $0.map { dictionary[Int($0)] } }
  }

  var titles: [String?] { (lists["title"] as? [Any] ?? []).map { $0 as? String } }

  /// File names with the titles restored.
  var files: [String] {
    (lists["file"] as? [String] ?? []).enumerated().map { row, file in
      file.replacingOccurrences(of: "/", with: titles[row] ?? "/")
    }
  }

  var paths: [String] {
    get throws {
      let root = columns["root"] as? String ?? ""
      return try zip(texts("folder"), files).map { folder, file in
        root + ((folder ?? "").isEmpty ? "" : (folder ?? "") + "/") + file
      }
    }
  }

  func details(_ row: Int) -> [String: Any] {
    (details["tracks"] as? [String: Any])?["\(row)"] as? [String: Any] ?? [:]
  }

  /// The headline as text.
  var headline: String { text(of: "h1") }
  var subtitle: String { text(of: "p", attributes: " class=\"sub\"") }

  private func text(of element: String, attributes: String = "") -> String {
    guard let start = html.range(of: "<\(element)\(attributes)>"),
      let end = html.range(of: "</\(element)>", range: start.upperBound..<html.endIndex)
    else { return "" }
    return String(html[start.upperBound..<end.lowerBound].replacing(/<[^>]*>/, with: "").replacing("&#39;", with: "'"))
  }
}
