internal import Filters
internal import LibraryStore
internal import LibraryTasks
internal import Serving
internal import Text

/// A search typed in the app's search field.
struct TypedSearch: Hashable, Sendable {
  var words: String
  var sections: Set<String>
  /// Maximum number of hits per section.
  var limit: Int
  var offset: Int
}

/// Routes for searching while the user is typing, for listing tracks by words and filters, and for the filter fields.
struct SearchRoutes: AppRouteSet {
  let library: AppLibrary

  private static let sections = ["tracks", "albums", "artists", "genres", "playlists"]

  var routes: [Route] {
    let type = JSONType<FoundSections>.appSearch
    answer(
      .get, "search", "Search as you type, with one section per type of result",
      [.text("q"), .text("sections")] + QueryReading.page,
      answers: [.json(type)]
    ) { request in
      let typed = try Self.typed(request.query)
      let bytes = try library.searches.value(for: typed) {
        var json = JSONWriter()
        type.write(try found(typed), &json)
        return json.bytes
      }
      return .json(bytes: bytes)
    }
    answer(
      .get, "tracks", "Tracks that match words and filters",
      [.text("q"), .text("where"), .text("sort")] + QueryReading.page, answers: .appTracks
    ) { request in try tracks(request.query) }
    answer(.get, "filters", "Fields and sort orders for filters", answers: .appFilters) { _ in
      (FilterField.allCases, TrackOrder.Key.allCases)
    }
  }

  // MARK: In sections

  private static func typed(_ query: QueryReading) throws -> TypedSearch {
    let words = try query.text("q") ?? ""
    let page = try query.page(limit: 8)
    let sections = Set(
      try query.text("sections").map { $0.split(separator: ",").map(String.init) } ?? Self.sections)
    if let unknown = sections.first(where: { !Self.sections.contains($0) }) {
      throw RequestError(
        .badRequest,
        "sections: there is no '\(printable(unknown))'; valid are \(Self.sections.joined(separator: ", ")).")
    }
    return TypedSearch(words: words, sections: sections, limit: page.limit, offset: page.offset)
  }

  private func found(_ search: TypedSearch) throws -> FoundSections {
    let (words, sections) = (search.words, search.sections)
    let page = (limit: search.limit, offset: search.offset)
    let match = WordMatch(words)
    var found = FoundSections(query: words)
    if sections.contains("tracks") {
      let tracks = try FoundTracks(words, page: page, in: library.store)
      found.tracks = ListPage(
        count: tracks.count, isCountExact: tracks.isCountExact, offset: page.offset,
        items: try library.songs(tracks.rows).map { ListRow($0, marking: match) })
    }
    let named = try names(words, sections, page)
    if sections.contains("albums") { found.albums = ListPage(named.albums, marking: match) { $0 } }
    if sections.contains("artists") { found.artists = ListPage(named.artists, marking: match) { $0 } }
    if sections.contains("genres") {
      found.genres = ListPage(try genres(words, page), marking: match) { ($0.name, $0.trackCount, nil) }
    }
    if sections.contains("playlists") {
      let isEmpty = words.allSatisfy(\.isWhitespace)
      let playlists =
        isEmpty ? [] : try library.store.playlists(matching: words, limit: page.limit, offset: page.offset)
      found.playlists = ListPage(
        count: isEmpty ? 0 : try library.store.playlistCount(matching: words),
        items: playlists.map { ListRow($0, marking: match) })
    }
    return found
  }

  /// Returns matching albums and artists; empty if there are no words.
  private func names(
    _ words: String, _ sections: Set<String>, _ page: (limit: Int, offset: Int)
  ) throws -> SongQueryResult {
    let kinds = [("albums", SongQuery.Section.albums), ("artists", .artists)]
    let requested = Set(kinds.filter { sections.contains($0.0) }.map(\.1))
    var query = SongQuery(sections: requested, limit: page.limit, offset: page.offset)
    query.text = words
    if words.allSatisfy(\.isWhitespace) { query.sections = [] }
    return try library.store.search(songs: query)
  }

  private func genres(_ words: String, _ page: (limit: Int, offset: Int)) throws -> SearchHits<SearchAnswer.Name> {
    if words.allSatisfy(\.isWhitespace) { return SearchAnswer().genres }
    return try library.store.search(
      SearchRequest(words, sections: [.genres], limit: page.limit, offset: page.offset)
    ).genres
  }

  // MARK: The library

  private func tracks(_ query: QueryReading) throws -> ListPage<ListRow<Song>> {
    let words = try query.text("q") ?? ""
    let filter = try Self.filter(try query.text("where") ?? "")
    let page = try query.page()
    let found = try FoundTracks(words, filter: filter, order: Self.order(query), page: page, in: library.store)
    let match = WordMatch(words)
    return ListPage(
      count: found.count, isCountExact: found.isCountExact, offset: page.offset,
      failed: .some(page.offset == 0 ? try FoundTracks.failedCount(words, filter: filter, in: library.store) : nil),
      items: try library.songs(found.rows).map { ListRow($0, marking: match) })
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
}

/// An error in a filter expression: the invalid word, and what is wrong with it.
struct FilterRequestError: Error {
  let error: FilterSyntaxError

  init(_ error: FilterSyntaxError) { self.error = error }
}

/// The hits in the requested sections.
private struct FoundSections {
  var query: String
  var tracks: ListPage<ListRow<Song>>?
  var albums: ListPage<ListRow<SongAlbum>>?
  var artists: ListPage<ListRow<LibraryArtist>>?
  var genres: ListPage<GenreRow>?
  var playlists: ListPage<ListRow<LibraryStore.Playlist>>?
}

extension JSONType<FoundSections> {
  fileprivate static var appSearch: Self {
    .object(
      "AppSearch", .required("query", .text) { $0.query }, .ifAny("tracks", .appTracks) { $0.tracks },
      .ifAny("albums", .page("AppAlbums", .appAlbum)) { $0.albums },
      .ifAny("artists", .page("AppArtists", .appArtist)) { $0.artists },
      .ifAny("genres", .page("AppGenres", .appGenre)) { $0.genres },
      .ifAny("playlists", .page("AppFoundPlaylists", .appPlaylist)) { $0.playlists })
  }
}

extension ListPage {
  /// Creates a page without an offset from search hits.
  fileprivate init<Hit, Value>(_ hits: SearchHits<Hit>, marking match: WordMatch, _ value: (Hit) -> Value)
  where Item == ListRow<Value> {
    self.init(
      count: hits.count, isCountExact: hits.isCountExact,
      items: hits.hits.map { ListRow(value($0), marking: match) })
  }
}

extension JSONType where Value == (fields: [FilterField], sorts: [TrackOrder.Key]) {
  fileprivate static var appFilters: Self {
    let field = JSONType<FilterField>.object(
      "AppFilterField", .required("name", .text) { $0.rawValue }, .required("example", .text) { $0.example },
      .required("text", .text) { $0.expects })
    return .object(
      "AppFilters",
      .required("fields", .list(field)) { $0.fields }, .required("sorts", .list(.text)) { $0.sorts.map(\.rawValue) })
  }
}
