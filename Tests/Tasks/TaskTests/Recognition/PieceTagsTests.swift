import AnalysisTesting
import AudioEncoding
import Foundation
import Recognition
import SystemPackage
import Testing

@testable import RecognitionTasks

/// Tags of the pieces of a recording.
@Suite(.bounded) struct PieceTagsTests {
  /// A piece with all that a catalog may know about its track.
  private func known(_ change: (inout [String: Any]) -> Void = { _ in }) throws -> MixPiece {
    var item: [String: Any] = [
      "title": "Title", "artist": "Artist", "album": "Album", "creation_date": "1999", "isrc": "DEA012345678",
      "genres": ["Trance", "House"], "time_ranges": [], "frequency_skew_ranges": [],
      "properties": ["musicbrainz_recordingid": "id"],
    ]
    change(&item)
    let match: [String: Any] = [
      "item": item, "reference": "track", "reference_duration_s": 200, "match_offset_s": 0, "elapsed_s": 0, "speed": 1,
      "frequency_skew": 0, "confidence": 1,
    ]
    let json: [String: Any] = [
      "start_s": 0, "end_s": 60, "match": match, "alternatives": [], "speed": 1, "confidence": 1,
    ]
    let cue = try JSONDecoder().decode(CueSheet.Cue.self, from: JSONSerialization.data(withJSONObject: json))
    return MixPiece(start: 0, end: 61.5, cue: cue)
  }

  private func tags(_ piece: MixPiece, _ format: PacketContainer.TagFormat) -> [String] {
    let file = MixSplit.File(path: "/out/02.mp3", number: 2, count: 12, piece: piece)
    return PieceTags.tags(of: file, from: "/music/mix.mp3", in: format).map { "\($0.name)=\($0.value)" }
  }

  @Test func vorbisCommentsRepeatNames() throws {
    let tags = try tags(known(), .vorbisComments)
    #expect(
      tags.dropLast() == [
        "title=Title", "artist=Artist", "album=Album", "date=1999", "ISRC=DEA012345678", "genre=Trance",
        "genre=House", "MUSICBRAINZ_TRACKID=id", "track=2", "TRACKTOTAL=12",
      ])
    #expect(tags.last?.hasPrefix("comment=") == true)
    #expect(tags.last?.hasSuffix(" of mix.mp3, cut by nocturne") == true && tags.last?.contains(" to ") == true)
  }

  @Test func otherTagsJoinValues() throws {
    let tags = try tags(known(), .id3)
    #expect(
      tags.dropLast() == [
        "title=Title", "artist=Artist", "album=Album", "date=1999", "TSRC=DEA012345678", "genre=Trance; House",
        "track=2/12",
      ])
  }

  @Test func whatIsUnknownIsLeftOut() throws {
    let bare = try tags(
      known { item in
        for name in ["title", "artist", "album", "creation_date", "isrc"] { item[name] = nil }
        (item["genres"], item["properties"]) = ([String](), [String: Any]())
      }, .id3)
    #expect(bare.dropLast() == ["title=track", "track=2/12"])
    let unknown = tags(MixPiece(start: 0, end: 10), .vorbisComments)
    #expect(unknown.dropLast() == ["title=unknown", "track=2", "TRACKTOTAL=12"])
    // A NUL would end the text.
    let odd = try tags(known { ($0["title"], $0["artist"]) = ("Ti\0tle", "\0") }, .id3)
    #expect(odd.first == "title=Title" && !odd.contains { $0.hasPrefix("artist") })
  }
}
