internal import Filters
internal import HTTPTypes
internal import Hummingbird
internal import LibraryStore
internal import LibraryTasks
internal import Serving
internal import Text

/// The text in the app's search field.
struct TypedSearch: Hashable, Sendable {
  var words: String
  var sections: Set<String>
  /// In each section.
  var limit: Int
  var offset: Int
}

/// Search as the user types, and the library with its filters.
struct SearchRoutes: RouteSet {
  let api = API.app
  let library: AppLibrary

  private static let sections = ["tracks", "albums", "artists", "genres", "playlists"]

  var routes: [Route] {
    route(
      .get, "search", "Search in sections as one types", [.text("q"), .text("sections")] + QueryReading.page,
      answers: "AppSearch"
    ) { request, _ in try await search(request) }
    route(
      .get, "tracks", "Tracks by words and filters",
      [.text("q"), .text("where"), .text("sort")] + QueryReading.page, answers: "AppTracks"
    ) { request, _ in try await tracks(request) }
    route(.get, "filters", "The fields of filters", answers: "AppFilters") { _, _ in Self.filters }
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
        .badRequest,
        "sections: there is no '\(printable(unknown))'; valid are \(Self.sections.joined(separator: ", ")).")
    }
    let typed = TypedSearch(words: words, sections: sections, limit: page.limit, offset: page.offset)
    return try await library.services.reading {
      .json(bytes: try library.searches.value(for: typed) { try found(typed) })
    }
  }

  private func found(_ search: TypedSearch) throws -> [UInt8] {
    let (words, sections) = (search.words, search.sections)
    let page = (limit: search.limit, offset: search.offset)
    let match = WordMatch(words)
    var json = JSONWriter()
    try json.object { json in
      json.put("query", words)
      if sections.contains("tracks") {
        let found = try FoundTracks(words, page: page, in: library.store)
        let songs = try library.songs(found.rows)
        json.putObject("tracks") { json in
          json.putPage(count: found.count, isExact: found.isCountExact, offset: page.offset)
          json.putList("items", songs) { $1.write(into: &$0, marking: match) }
        }
      }
      let named = try names(words, sections, page)
      if sections.contains("albums") {
        json.putHits("albums", named.albums) { json, album in
          album.write(into: &json)
          json.putObject("marks") {
            $0.putMarks("name", match, in: album.name)
            $0.putMarks("artist", match, in: album.artistNames)
          }
        }
      }
      if sections.contains("artists") {
        json.putHits("artists", named.artists) { json, artist in
          artist.write(into: &json)
          json.putObject("marks") { $0.putMarks("name", match, in: artist.name) }
        }
      }
      if sections.contains("genres") {
        json.putHits("genres", try genres(words, page)) { json, genre in
          json.put("name", genre.name)
          json.put("tracks", genre.trackCount)
          json.putObject("marks") { $0.putMarks("name", match, in: genre.name) }
        }
      }
      if sections.contains("playlists") {
        let isEmpty = words.allSatisfy(\.isWhitespace)
        let found =
          isEmpty ? [] : try library.store.playlists(matching: words, limit: page.limit, offset: page.offset)
        try json.putObject("playlists") { json in
          json.put("count", isEmpty ? 0 : try library.store.playlistCount(matching: words))
          json.put("count_is_exact", true)
          json.putList("items", found) { json, playlist in
            playlist.write(into: &json)
            json.putObject("marks") { $0.putMarks("name", match, in: playlist.name) }
          }
        }
      }
    }
    return json.bytes
  }

  /// Albums and artists; none without words.
  private func names(
    _ words: String, _ sections: Set<String>, _ page: (limit: Int, offset: Int)
  ) throws -> CatalogAnswer {
    let kinds = [("albums", CatalogQuery.Section.albums), ("artists", .artists)]
    let asked = Set(kinds.filter { sections.contains($0.0) }.map(\.1))
    var query = CatalogQuery(sections: asked, limit: page.limit, offset: page.offset)
    query.text = words
    if words.allSatisfy(\.isWhitespace) { query.sections = [] }
    return try library.store.search(catalog: query)
  }

  private func genres(_ words: String, _ page: (limit: Int, offset: Int)) throws -> SearchHits<SearchAnswer.Name> {
    if words.allSatisfy(\.isWhitespace) { return SearchAnswer().genres }
    return try library.store.search(
      SearchRequest(words, sections: [.genres], limit: page.limit, offset: page.offset)
    ).genres
  }

  // MARK: The library

  private func tracks(_ request: Request) async throws -> Response {
    let query = QueryReading(request)
    let words = try query.text("q") ?? ""
    let filter = try Self.filter(try query.text("where") ?? "")
    let page = try query.page()
    let order = try Self.order(query)
    return try await library.services.reading {
      let found = try FoundTracks(words, filter: filter, order: order, page: page, in: library.store)
      let songs = try library.songs(found.rows)
      // A list is counted when it is begun.
      let failed = page.offset == 0 ? try FoundTracks.failedCount(words, filter: filter, in: library.store) : nil
      let match = WordMatch(words)
      return .json { json in
        json.object { json in
          json.putPage(count: found.count, isExact: found.isCountExact, offset: page.offset)
          json.put("failed", failed)
          json.putList("items", songs) { $1.write(into: &$0, marking: match) }
        }
      }
    }
  }

  static func filter(_ text: String) throws -> TrackFilter {
    do {
      return try TrackFilter(parsing: text, columns: FindingColumn.known)
    } catch {
      throw FilterRequestError(error)
    }
  }

  private static func order(_ query: QueryReading) throws -> TrackOrder? {
    guard let sort = try query.text("sort"), !sort.isEmpty else { return nil }
    do {
      return try TrackOrder(parsing: sort, columns: FindingColumn.known)
    } catch {
      throw RequestError(.badRequest, "sort: \(error)")
    }
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
}
