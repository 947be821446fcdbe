public import Filters

/// A search in the song catalog.
public struct SearchRequest: Sendable {
  /// Any text, or empty to use only filters. Every word must occur; the last one may be the beginning of a word.
  public var words: String
  public var filter: TrackFilter
  /// The order of the tracks; `nil` for the best matches first.
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
  /// `false` if there may be more hits, because only the first matches are examined for very common words.
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
    /// The album artists, or else the artists that all tracks of the album share; `nil` if the tracks have different
    /// ones.
    public var artist: String?
    /// The earliest year of the album's tracks.
    public var year: Int?
    public var trackCount: Int
  }

  /// An artist or genre.
  public struct Name: Sendable, Equatable {
    public var name: String
    /// Number of tracks with this name, alone or along with others.
    public var trackCount: Int
  }

  /// The hits in each section; empty for sections that were not requested.
  public var tracks = SearchHits<TrackRow>()
  public var albums = SearchHits<Album>()
  public var artists = SearchHits<Name>()
  public var genres = SearchHits<Name>()
  /// Files that were found by the words in their paths.
  public var paths = SearchHits<TrackRow>()

  public init() {}

  public var isEmpty: Bool {
    tracks.hits.isEmpty && albums.hits.isEmpty && artists.hits.isEmpty && genres.hits.isEmpty && paths.hits.isEmpty
  }
}
