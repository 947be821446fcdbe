public import Filters

/// A search in the song catalog.
public struct SearchRequest: Sendable {
  /// Any text; every word of it must be there, the last one at least as the beginning of one. Empty: filters alone.
  public var words: String
  public var filter: TrackFilter
  /// Order of tracks; `nil` for the best ones first.
  public var order: TrackOrder?
  public var sections: Set<SearchSection>
  /// In each section.
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

/// The best of what was found of one kind.
public struct SearchHits<Hit: Sendable>: Sendable {
  public var hits: [Hit]
  /// How many there are in all, or at least.
  public var count: Int
  /// False if there may be more: of very common words only the first matches are looked at.
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
    /// Album artists, or the artists of all its tracks; `nil` if these are not one.
    public var artist: String?
    /// The earliest.
    public var year: Int?
    public var trackCount: Int
  }

  /// An artist or genre.
  public struct Name: Sendable, Equatable {
    public var name: String
    /// Tracks with this name; where only some tracks were looked through, those that have it with others are not all counted.
    public var trackCount: Int
  }

  /// Sections that were not asked for are empty.
  public var tracks = SearchHits<TrackRow>()
  public var albums = SearchHits<Album>()
  public var artists = SearchHits<Name>()
  public var genres = SearchHits<Name>()
  /// Files by the words of their paths.
  public var paths = SearchHits<TrackRow>()

  public init() {}

  public var isEmpty: Bool {
    tracks.hits.isEmpty && albums.hits.isEmpty && artists.hits.isEmpty && genres.hits.isEmpty && paths.hits.isEmpty
  }
}
