public import Filters

/// A search in the song catalog.
public struct SearchRequest: Sendable {
  /// Any text. Every word must occur, the last one at least as the beginning of a word. Empty to use only filters.
  public var words: String
  public var filter: TrackFilter
  /// Order of the tracks; `nil` for the best matches first.
  public var order: TrackOrder?
  public var sections: Set<SearchSection>
  /// Maximum number of hits per section.
  public var limit: Int
  public var offset: Int

  public init(
    _ words: String, filter: TrackFilter = .everything, order: TrackOrder? = nil,
    sections: Set<SearchSection> = Set(SearchSection.allCases), limit: Int = 20, offset: Int = 0
  ) {
    self.words = words
    self.filter = filter
    self.order = order
    self.sections = sections
    self.limit = limit
    self.offset = offset
  }
}

public enum SearchSection: String, Sendable, Hashable, CaseIterable {
  case tracks, albums, artists, genres, paths
}

public struct SearchHits<Hit: Sendable>: Sendable {
  public var hits: [Hit]
  /// Total number of hits, or a lower bound.
  public var count: Int
  /// False if there may be more hits: for very common words, only the first matches are examined.
  public var isCountExact: Bool

  init(_ hits: [Hit] = [], count: Int = 0, isCountExact: Bool = true) {
    self.hits = hits
    self.count = count
    self.isCountExact = isCountExact
  }
}

public struct SearchAnswer: Sendable {
  public struct Album: Sendable, Equatable {
    public var title: String
    /// Album artists, or the artists of all its tracks; `nil` if the tracks have different artists.
    public var artist: String?
    /// Earliest year.
    public var year: Int?
    public var trackCount: Int
  }

  /// An artist or genre.
  public struct Name: Sendable, Equatable {
    public var name: String
    /// Number of tracks with this name. If only some tracks were examined, tracks that list it along with other names
    /// are not all counted.
    public var trackCount: Int
  }

  /// Sections that were not requested are empty.
  public var tracks = SearchHits<TrackRow>()
  public var albums = SearchHits<Album>()
  public var artists = SearchHits<Name>()
  public var genres = SearchHits<Name>()
  /// Files found by the words of their paths.
  public var paths = SearchHits<TrackRow>()

  public init() {}

  public var isEmpty: Bool {
    tracks.hits.isEmpty && albums.hits.isEmpty && artists.hits.isEmpty && genres.hits.isEmpty && paths.hits.isEmpty
  }
}
