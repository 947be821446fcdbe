internal import Analysis
package import LibraryStore
internal import Platform
internal import Records
internal import Reporting
internal import Text

/// The results of a search, with the query.
package struct SearchReport: Sendable {
  package var words: String
  package var sections: Set<SearchSection>
  package var answer: SearchAnswer

  package init(_ answer: SearchAnswer, to request: SearchRequest) {
    words = request.words
    sections = request.sections
    self.answer = answer
  }

  /// One line of JSON, including its line break.
  package var jsonLine: [UInt8] { Shape.search.ndjsonLine(self) }

  /// The hits as NDJSON, one line per hit.
  package var ndjsonLines: [UInt8] {
    var hits = answer.tracks.hits.map { SearchHit(type: "track", track: $0) }
    hits += answer.albums.hits.map { SearchHit(type: "album", album: $0) }
    hits += answer.artists.hits.map { SearchHit(type: "artist", name: $0) }
    hits += answer.genres.hits.map { SearchHit(type: "genre", name: $0) }
    hits += answer.paths.hits.map { SearchHit(type: "path", track: $0) }
    return hits.flatMap { Shape.searchHit.ndjsonLine($0) }
  }
}

/// A hit, as one line of NDJSON.
private struct SearchHit: Sendable {
  var type: String
  var track: TrackRow?
  var album: SearchAnswer.Album?
  var name: SearchAnswer.Name?
}

/// The output of `search`: schemas `nocturne.search` and `nocturne.search_hit` version 2. Fields keep their names and
/// types forever; the only changes are new fields.
extension Shape<SearchReport> {
  fileprivate static var search: Shape {
    func section<Hit>(
      _ name: SearchSection, _ hit: Shape<Hit>, _ summary: String,
      _ get: @escaping @Sendable (SearchAnswer) -> SearchHits<Hit>
    ) -> Field<SearchReport> {
      .optionalObject(name.rawValue, .hits(of: hit), "\(summary); null if not requested.") {
        $0.sections.contains(name) ? get($0.answer) : nil
      }
    }
    return Shape(
      summary: "Results of a search.",
      fields: [
        .required("query", .text, "Words that were searched for.") { $0.words },
        section(.tracks, .track, "Tracks, best first or in the requested order") { $0.tracks },
        section(.albums, .album, "Albums, best first") { $0.albums },
        section(.artists, .name, "Artists, best first") { $0.artists },
        section(.genres, .name, "Genres, best first") { $0.genres },
        section(.paths, .track, "Files by the words of their paths") { $0.paths },
      ])
  }
}

extension Shape {
  fileprivate static func hits<Hit>(of hit: Shape<Hit>) -> Shape<SearchHits<Hit>> where Record == SearchHits<Hit> {
    Shape(
      summary: "Results of one type.",
      fields: [
        .required("count", .integer, "Number of all results; a lower bound if count_is_exact is false.") { $0.count },
        .required("count_is_exact", .boolean, "The count is exact; false if there may be more results.") {
          $0.isCountExact
        },
        .objects("hits", hit, "Requested results; null if there are none.") { $0.hits },
      ])
  }
}

extension Shape<SearchHit> {
  fileprivate static var searchHit: Shape {
    Shape(
      summary: "One result of a search.",
      fields: [
        .required("type", .text, "Type of the result: track, album, artist, genre or path.") { $0.type },
        .optionalObject("track", .track, "The file, for types track and path; null otherwise.") { $0.track },
        .optionalObject("album", .album, "The album, for type album; null otherwise.") { $0.album },
        .optionalObject("name", .name, "The artist or genre, for types artist and genre; null otherwise.") { $0.name },
      ])
  }
}

extension Shape<TrackRow> {
  fileprivate static var track: Shape {
    Shape(
      summary: "A track of the library.",
      fields: [
        .uri { $0.path }, .path { $0.path },
        .required("status", .text, "Status of the file: ok, partial or failed.") { $0.status.rawValue },
        .optional("artist", .text, "Performers, separated by ' / '.") { $0.artist },
        .optional("title", .text, "Title.") { $0.title },
        .optional("album", .text, "Title of the release.") { $0.album },
        .optional("album_artist", .text, "Performers of the release.") { $0.albumArtist },
        .optional("genre", .text, "Genres, separated by ' / '.") { $0.genre },
        .optional("year", .integer, "Year of the release.") { $0.year },
        .tempo { $0.bpm }, .tempoConfidence { $0.confidence }, .tempoIsLocked { $0.isLocked },
        .camelot { $0.key }, .loudness { $0.integratedLoudness },
        .optional("duration_s", .number, "Seconds.") { $0.durationSeconds },
        .optional("codec", .text, "Codec of the audio.") { $0.codec },
        .optional("lossless", .boolean, "The codec is lossless.") { $0.isLossless },
        .required("added_at", .dateTime, "Time at which the file was first found, UTC.") { $0.added },
      ])
  }
}

extension Shape<SearchAnswer.Album> {
  fileprivate static var album: Shape {
    Shape(
      summary: "An album.",
      fields: [
        .required("title", .text, "Title.") { $0.title },
        .optional("artist", .text, "Performers; null if its tracks have several.") { $0.artist },
        .optional("year", .integer, "The earliest year of its tracks.") { $0.year },
        .required("tracks", .integer, "Number of tracks of the album that match the filters.") { $0.trackCount },
      ])
  }
}

extension Shape<SearchAnswer.Name> {
  fileprivate static var name: Shape {
    Shape(
      summary: "An artist or genre.",
      fields: [
        .required("name", .text, "Name as written in tags.") { $0.name },
        .required(
          "tracks", .integer,
          "Number of tracks with this name that match the filters; a lower bound if the count is not exact."
        ) {
          $0.trackCount
        },
      ])
  }
}

package enum SearchSchema {
  package static var files: [(format: String, name: String, text: String)] {
    [
      (
        "search", "nocturne.search.v2.schema.json",
        ReportSchema.lineSchema(Shape.search.schema, title: "nocturne.search, version 2: one search").text
      ),
      (
        "search-hit", "nocturne.search_hit.v2.schema.json",
        ReportSchema.lineSchema(Shape.searchHit.schema, title: "nocturne.search_hit, version 2: one line").text
      ),
    ]
  }
}
