internal import Filters
internal import HTTPTypes
internal import Hummingbird
internal import ResultStore
internal import Text

/// Search as somebody types, and the library with its filters.
struct SearchRoutes: Sendable {
  let library: AppLibrary

  private static let sections = ["tracks", "albums", "artists", "genres", "playlists"]

  func add(to group: RouterGroup<ServerContext>) {
    group.get("search") { request, _ in try await search(request) }
    group.get("tracks") { request, _ in try await tracks(request) }
    group.get("filters") { _, _ in Self.filters }
  }

  // MARK: In sections

  private func search(_ request: Request) async throws -> Response {
    let query = QueryReading(request)
    let words = try query.text("q") ?? ""
    let page = try query.page(limit: 8)
    let sections = Set(
      try query.text("sections").map { $0.split(separator: ",").map(String.init) } ?? Self.sections)
    if let unknown = sections.first(where: { !Self.sections.contains($0) }) {
      throw RequestError(
        .badRequest, "sections: there is no '\(printable(unknown))'; valid are \(Self.sections.joined(separator: ", ")).")
    }
    return try await library.services.blocking {
      let answer = try answer(to: words, sections, page)
      let match = WordMatch(words)
      return try .json { json in
        try json.object { json in
          json.put("query", words)
          if sections.contains("tracks") {
            let found = try FoundTracks(words, page: page, in: library.store)
            json.putObject("tracks") { json in
              json.putPage(count: found.count, isExact: found.isCountExact, offset: page.offset)
              json.putList("items", found.rows) { library.listed($1).write(into: &$0, marking: match) }
            }
          }
          if sections.contains("albums") {
            json.putHits("albums", answer.albums) { json, album in
              json.put("id", nil as String?)
              json.put("name", album.title)
              json.put("artist", album.artist)
              json.put("year", album.year)
              json.put("tracks", album.trackCount)
              json.putObject("marks") {
                $0.putMarks("name", match, in: album.title)
                $0.putMarks("artist", match, in: album.artist)
              }
            }
          }
          if sections.contains("artists") { json.putNames("artists", answer.artists, match) }
          if sections.contains("genres") { json.putNames("genres", answer.genres, match) }
        }
      }
    }
  }

  /// Names; nothing without words.
  private func answer(
    to words: String, _ sections: Set<String>, _ page: (limit: Int, offset: Int)
  ) throws -> SearchAnswer {
    if words.allSatisfy(\.isWhitespace) { return SearchAnswer() }
    let names = Set(sections.compactMap { SearchSection(rawValue: $0) }).intersection([.albums, .artists, .genres])
    return try library.store.search(SearchRequest(words, sections: names, limit: page.limit, offset: page.offset))
  }

  // MARK: The library

  private func tracks(_ request: Request) async throws -> Response {
    let query = QueryReading(request)
    let words = try query.text("q") ?? ""
    let filter = try Self.filter(try query.text("where") ?? "")
    let page = try query.page()
    let order = try Self.order(query)
    return try await library.services.blocking {
      let found = try FoundTracks(words, filter: filter, order: order, page: page, in: library.store)
      let match = WordMatch(words)
      return .json { json in
        json.object { json in
          json.putPage(count: found.count, isExact: found.isCountExact, offset: page.offset)
          json.putList("items", found.rows) { library.listed($1).write(into: &$0, marking: match) }
        }
      }
    }
  }

  static func filter(_ text: String) throws -> TrackFilter {
    do {
      return try TrackFilter(parsing: text)
    } catch {
      throw FilterRequestError(error)
    }
  }

  private static func order(_ query: QueryReading) throws -> TrackOrder? {
    guard let sort = try query.text("sort"), !sort.isEmpty else { return nil }
    let name = sort.hasPrefix("-") ? String(sort.dropFirst()) : sort
    guard let key = TrackOrder.Key(rawValue: name) else {
      let hint = Suggestion.hint(for: name, in: TrackOrder.Key.allCases.map(\.rawValue))
      throw RequestError(.badRequest, "sort: there is no order '\(printable(name))'; \(hint)")
    }
    return TrackOrder(key, isDescending: sort.hasPrefix("-"))
  }

  private static var filters: Response {
    .json { json in
      json.object { json in
        json.putList("fields", FilterField.allCases) { json, field in
          json.put("name", field.rawValue)
          json.put("example", field.example)
          json.put("text", field.expects)
        }
        json.key("sorts")
        json.beginArray()
        for key in TrackOrder.Key.allCases { json.string(key.rawValue) }
        json.endArray()
      }
    }
  }
}

/// An expression that makes no sense: what is wrong with which word.
struct FilterRequestError: Error {
  let error: FilterSyntaxError

  init(_ error: FilterSyntaxError) { self.error = error }
}

extension JSONWriter {
  mutating func putPage(count: Int, isExact: Bool, offset: Int) {
    put("count", count)
    put("count_is_exact", isExact)
    put("offset", offset)
  }

  mutating func putHits<Hit>(
    _ name: String, _ hits: SearchHits<Hit>, _ body: (inout JSONWriter, Hit) throws -> Void
  ) rethrows {
    try putObject(name) {
      $0.put("count", hits.count)
      $0.put("count_is_exact", hits.isCountExact)
      try $0.putList("items", hits.hits, body)
    }
  }

  fileprivate mutating func putNames(_ section: String, _ hits: SearchHits<SearchAnswer.Name>, _ match: WordMatch) {
    putHits(section, hits) { json, name in
      json.put("id", nil as String?)
      json.put("name", name.name)
      json.put("tracks", name.trackCount)
      json.putObject("marks") { $0.putMarks("name", match, in: name.name) }
    }
  }
}
