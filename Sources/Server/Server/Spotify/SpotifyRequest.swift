internal import Analysis
internal import Foundation
internal import Hummingbird
internal import LibraryStore
internal import NIOCore
internal import Platform
internal import Serving
internal import Text

/// The parameters of a request, validated as in Spotify's Web API.
struct SpotifyRequest {
  let fields: FormFields
  let links: SpotifyLinks

  /// - Parameter tokens: The tokens that create the keys in the URLs of covers.
  init(_ request: Request, _ context: ServerContext, tokens: AccessTokens) {
    fields = FormFields(request.uri.query ?? "")
    let client = context.client.token
    links = SpotifyLinks(base: context.baseURL(of: request)) { tokens.coverKey(for: $0, as: client) }
  }

  var base: String { links.base }

  func required(_ name: String) throws -> String {
    guard let value = fields[name], !value.isEmpty else {
      throw RequestError(.badRequest, "The parameter \(name) is missing.")
    }
    return value
  }

  func integer(_ name: String, in range: ClosedRange<Int>, default standard: Int) throws -> Int {
    guard let text = fields[name], !text.isEmpty else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw RequestError(.badRequest, "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  private static let offsets = 0...10_000_000

  /// The parameters that `page` reads.
  static let page = pageParameters(max: 50)
  static func pageParameters(max: Int) -> [RouteParameter] {
    [.integer("limit", 1...max), .integer("offset", offsets)]
  }

  func page(standard: Int = 20, max: Int = 50) throws -> Page {
    Page(
      limit: try integer("limit", in: 1...max, default: standard),
      offset: try integer("offset", in: Self.offsets, default: 0))
  }

  /// The parameter that `wantsNulls` reads.
  static let nulls = RouteParameter.choice("nulls", ["0", "1"])

  /// `true` if unknown values should be null instead of the numbers that Spotify uses for them.
  var wantsNulls: Bool { fields["nulls"] == "1" }

  /// Returns a response that contains only the parts that the parameter `fields` selects.
  func selected<Value>(_ type: JSONType<Value>, _ value: Value) throws -> Response {
    guard let text = fields["fields"], !text.isEmpty else { return type.response(value) }
    let selection = try FieldSelection(text)
    var whole = JSONWriter()
    type.write(value, &whole)
    return Response.json(selection.applied(to: try JSONValue(parsing: whole.bytes)))
  }

  /// Returns the values of a comma-separated list.
  func list(_ name: String) -> [String] {
    fields[name]?.split(separator: ",").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty } ?? []
  }

  /// The parameter that `selected` reads: members of the response, such as `items(track(name))`.
  static let fields = RouteParameter.text("fields")
  /// The parameter that `ids` reads.
  static let ids = [RouteParameter.text("ids").required]

  /// The ids in the parameter `ids`.
  func ids(max: Int) throws -> [String] {
    _ = try required("ids")
    let ids = list("ids")
    guard 1...max ~= ids.count else { throw RequestError(.badRequest, "ids takes 1 to \(max) ids.") }
    return try ids.map(Self.id)
  }

  /// - Throws: `RequestError` with status 400 for an invalid id.
  static func id(_ text: String) throws -> String {
    guard ContentID(text) != nil else { throw RequestError(.badRequest, "Invalid base62 id.") }
    return text
  }
}

/// The parsed parameter `q` of a search: words, filters such as `artist:"two words"` or `year:1990-1999`, `OR` between
/// words, and `NOT` before a word or filter (https://developer.spotify.com/documentation/web-api/reference/search).
struct SpotifySearchText {
  private(set) var query = SongQuery()

  /// Number of days for which files match `tag:new`.
  private static let newDays = 14

  init(_ text: String, now: Timestamp = .now) throws {
    var words: [String] = []
    var filter: String?
    var value: [String] = []
    var isExcluded = false
    func end() throws {
      if let filter { try set(filter, value.joined(separator: " "), isExcluded: isExcluded, now) }
      if filter != nil { isExcluded = false }
      filter = nil
      value = []
    }
    var texts: [String] = []
    let pieces = Self.pieces(of: text)
    for (index, piece) in pieces.enumerated() {
      // At the start and the end, OR and NOT are ordinary words.
      let isWithin = index > 0 && index < pieces.count - 1 && piece.filter == nil && !piece.isQuoted
      if isWithin, piece.text == "OR" || piece.text == "NOT" {
        try end()
        if piece.text == "OR" {
          texts.append(words.joined(separator: " "))
          words = []
        }
        isExcluded = piece.text == "NOT"
      } else if let name = piece.filter {
        try end()
        filter = name
        if !piece.text.isEmpty { value.append(piece.text) }
        // Unquoted names may consist of several words. Quoted values, and the values of other filters, are complete.
        if piece.isQuoted || !["artist", "album", "track"].contains(name) { try end() }
      } else if filter != nil {
        value.append(piece.text)
      } else if isExcluded {
        query.excluded.append(.init(.any, piece.text))
        isExcluded = false
      } else {
        words.append(piece.text)
      }
    }
    try end()
    // Drops alternatives without words, which result from an OR between filters.
    texts = (texts + [words.joined(separator: " ")]).filter { !$0.isEmpty }
    query.text = texts.first ?? ""
    query.alternatives = Array(texts.dropFirst())
  }

  private mutating func set(_ filter: String, _ value: String, isExcluded: Bool, _ now: Timestamp) throws {
    if isExcluded {
      try exclude(filter, value, now)
      return
    }
    switch filter {
    case "artist": query.artist = value
    case "album": query.album = value
    case "track": query.title = value
    case "genre": query.genre = value
    case "isrc": query.isrc = value
    case "year": query.years = try Self.years(value)
    case "tag": if value == "new" { query.addedSince = Self.newest(at: now) }
    // Barcodes are unknown, so nothing matches.
    default: query.isrc = ""
    }
  }

  private mutating func exclude(_ filter: String, _ value: String, _ now: Timestamp) throws {
    switch filter {
    case "artist": query.excluded.append(.init(.artist, value))
    case "album": query.excluded.append(.init(.album, value))
    case "track": query.excluded.append(.init(.title, value))
    case "genre": query.excluded.append(.init(.genre, value))
    case "isrc": query.excludedISRCs.append(value)
    case "year": query.excludedYears.append(try Self.years(value))
    case "tag": if value == "new" { query.addedBefore = Self.newest(at: now) }
    // Barcodes are unknown, so nothing is excluded.
    default: break
    }
  }

  private static func years(_ value: String) throws -> ClosedRange<Int> {
    let years = value.split(separator: "-").map { Int($0) }
    guard let first = years.first ?? nil, let last = years.last ?? nil, years.count <= 2, first <= last else {
      throw RequestError(.badRequest, "year takes a year or a range, such as 1990-1999.")
    }
    return first...last
  }

  /// The time after which files count as new.
  private static func newest(at now: Timestamp) -> Timestamp {
    Timestamp(nanoseconds: now.nanoseconds - Int64(newDays) * 86_400 * 1_000_000_000)
  }

  private struct Piece {
    var filter: String?
    var text: String
    var isQuoted: Bool
  }

  private static let filters: Set<String> = ["artist", "album", "track", "genre", "isrc", "year", "tag", "upc"]

  private static func pieces(of text: String) -> [Piece] {
    var pieces: [Piece] = []
    var rest = text[...]
    while let start = rest.firstIndex(where: { !$0.isWhitespace }) {
      rest = rest[start...]
      var filter: String?
      if let colon = rest.firstIndex(where: { $0 == ":" || $0.isWhitespace }), rest[colon] == ":",
        filters.contains(rest[..<colon].lowercased())
      {
        filter = rest[..<colon].lowercased()
        rest = rest[rest.index(after: colon)...]
      }
      if rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
        pieces.append(Piece(filter: filter, text: String(rest.dropFirst()[..<end]), isQuoted: true))
        rest = rest[rest.index(after: end)...]
      } else {
        let end = rest.firstIndex(where: \.isWhitespace) ?? rest.endIndex
        pieces.append(Piece(filter: filter, text: String(rest[..<end]), isQuoted: false))
        rest = rest[end...]
      }
    }
    return pieces
  }
}
