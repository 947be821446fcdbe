internal import HTTPTypes
package import Hummingbird
internal import NIOCore
package import Text

/// Reads the parameters of a query, and throws errors about invalid parameters.
package struct QueryReading: Sendable {
  private let parameters: [Substring: Substring]

  /// Reads the query of a request. If several parameters have the same name, the first one counts.
  package init(_ request: Request) {
    parameters = Dictionary(request.uri.queryParameters.map { ($0.key, $0.value) }) { first, _ in first }
  }

  /// - Parameter limit: Maximum number of bytes.
  package func text(_ name: String, limit: Int = 2000) throws -> String? {
    guard let value = parameters[Substring(name)] else { return nil }
    guard value.utf8.count <= limit else {
      throw RequestError(.badRequest, "The parameter \(name) is longer than \(limit) bytes.")
    }
    return String(value)
  }

  package func number(_ name: String, in range: ClosedRange<Int>, standard: Int) throws -> Int {
    guard let text = try text(name) else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw RequestError(
        .badRequest, "\(name) expects \(range.lowerBound) to \(range.upperBound), not '\(printable(text))'.")
    }
    return number
  }

  /// Returns one of the given words; `nil` if the parameter is missing or empty.
  package func choice(_ name: String, of words: [String]) throws -> String? {
    guard let text = try text(name), !text.isEmpty else { return nil }
    guard words.contains(text) else {
      throw RequestError(
        .badRequest, "\(name): there is no '\(printable(text))'; \(Suggestion.hint(for: text, in: words))")
    }
    return text
  }

  private static let limits = 1...500
  private static let offsets = 0...10_000_000

  /// The parameters that `page` reads.
  package static let page: [RouteParameter] = [.integer("limit", limits), .integer("offset", offsets)]

  /// Returns the requested range of a list: at most `limit` items, starting at `offset`.
  package func page(limit: Int = 50) throws -> (limit: Int, offset: Int) {
    (try number("limit", in: Self.limits, standard: limit), try number("offset", in: Self.offsets, standard: 0))
  }
}

extension Request {
  /// Returns the object in the body of a request; empty if there is no body.
  package func jsonObject(limit: Int = 64 << 10) async throws -> [String: JSONValue] {
    let buffer = try await body.collect(upTo: limit)
    guard buffer.readableBytes > 0 else { return [:] }
    // Browsers send this type to another site only after a CORS preflight, so a form cannot forge it.
    guard headers[.contentType]?.split(separator: ";").first?.lowercased() == "application/json" else {
      throw RequestError(.unsupportedMediaType, "The body must be JSON: Content-Type: application/json.")
    }
    do {
      if case .object(let members) = try JSONValue(parsing: buffer.readableBytesView, maximumDepth: 10) {
        return members
      }
    } catch {
      throw RequestError(.badRequest, "The body is \(error).")
    }
    throw RequestError(.badRequest, "The body must be a JSON object.")
  }
}
