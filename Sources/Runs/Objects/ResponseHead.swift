struct ResponseHead: Hashable, Sendable {
  let status: Int
  /// The values of the headers, by name in lower case. If a header is repeated, the last value counts.
  private let fields: [String: String]

  /// - Parameter text: The lines of the head. The result is `nil` if the first line is not a status line.
  init?(_ text: some Collection<UInt8>) {
    let lines = text.split(separator: UInt8(ascii: "\n")).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]), (100...999).contains(status) else {
      return nil
    }
    self.status = status
    fields = Dictionary(
      lines.dropFirst().compactMap { line in
        line.firstIndex(of: ":").map { colon in
          (line[..<colon].lowercased(), Self.trimmed(line[line.index(after: colon)...]))
        }
      }, uniquingKeysWith: { $1 })
  }

  subscript(_ name: String) -> String? { fields[name] }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}

/// Finds the final response in the output of `curl --include`, after redirects and interim responses.
struct ResponseReader {
  enum Part {
    /// The head, and the bytes that follow it.
    case head(ResponseHead, [UInt8])
    case needsMore
    case invalid
  }

  private static let limit = 1 << 18

  /// `true` if a redirect is followed by another response.
  let followsRedirects: Bool
  private var buffer: [UInt8] = []

  init(followsRedirects: Bool) { self.followsRedirects = followsRedirects }

  mutating func take(_ bytes: [UInt8]) -> Part {
    buffer += bytes
    while let end = Self.end(of: buffer) {
      guard let head = ResponseHead(buffer[..<end]) else { return .invalid }
      let rest = Array(buffer[end...])
      let isRedirect = followsRedirects && [301, 302, 303, 307, 308].contains(head.status) && head["location"] != nil
      guard head.status < 200 || isRedirect else { return .head(head, rest) }
      buffer = rest
    }
    return buffer.count > Self.limit ? .invalid : .needsMore
  }

  /// Returns the offset after the empty line that ends the head; `nil` if there is no such line yet.
  private static func end(of buffer: [UInt8]) -> Int? {
    var index = 0
    while let feed = buffer[index...].firstIndex(of: UInt8(ascii: "\n")) {
      var next = feed + 1
      if next < buffer.count, buffer[next] == UInt8(ascii: "\r") { next += 1 }
      if next < buffer.count, buffer[next] == UInt8(ascii: "\n") { return next + 1 }
      index = feed + 1
    }
    return nil
  }
}
