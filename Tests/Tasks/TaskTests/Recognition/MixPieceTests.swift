import AnalysisTesting
import Foundation
import Recognition
import Testing

@testable import RecognitionTasks

/// Positions at which a recording is cut.
@Suite(.bounded) struct MixPieceTests {
  @Test func tracksThatFollowEachOther() throws {
    // The first is cut off where the second starts, which is recognized a little later. The third starts in its middle.
    let sheet = try Cues.sheet(
      [.init(0.4, 59.5, from: 0.4), .init(60.5, 119, from: 0.5), .init(121, 180, from: 50)], duration: 180)
    let pieces = MixPiece.pieces(of: sheet)
    #expect(pieces.map(\.start) == [0, 60, 120] && pieces.map(\.end) == [60, 120, 180])
    #expect(pieces.allSatisfy { $0.overlap == 0 && $0.cue != nil })
  }

  @Test func aPauseGoesWithTheTrackBeforeIt() throws {
    // Played to its end at 60 s; the next one starts 5 s later.
    let sheet = try Cues.sheet([.init(0, 59, from: 140, length: 200), .init(66, 120, from: 1)], duration: 120)
    #expect(MixPiece.pieces(of: sheet).map(\.start) == [0, 65])
    // If that one starts in its middle, the cut is where the first one ends.
    let other = try Cues.sheet([.init(0, 59, from: 140, length: 200), .init(66, 120, from: 90)], duration: 120)
    #expect(MixPiece.pieces(of: other).map(\.start) == [0, 60])
  }

  @Test func overlapsAreCutInTheMiddle() throws {
    // Faded in from 52 s, recognized from 56 s.
    let sheet = try Cues.sheet([.init(0, 60, from: 0), .init(56, 120, from: 4)], duration: 120)
    let pieces = MixPiece.pieces(of: sheet)
    #expect(pieces.map(\.start) == [0, 56] && pieces.map(\.overlap) == [0, 8])
  }

  @Test func unknownStretchesAreKeptUnlessTheyAreShort() throws {
    let sheet = try Cues.sheet([.init(9, 60, from: 50), .init(71, 120, from: 50)], duration: 140)
    let pieces = MixPiece.pieces(of: sheet)
    #expect(pieces.map(\.start) == [0, 60, 71, 120] && pieces.map { $0.cue == nil } == [false, true, false, true])
    let nothing = MixPiece.pieces(of: CueSheet(cues: [], duration: 30))
    #expect(nothing.map(\.start) == [0] && nothing.map(\.end) == [30] && nothing[0].cue == nil)
  }

  @Test func tracksWithinOthersAreOnlyNamed() throws {
    let sheet = try Cues.sheet(
      [.init(0, 100, from: 0), .init(30, 45, from: 20), .init(100, 200, from: 0)], duration: 200)
    let pieces = MixPiece.pieces(of: sheet)
    #expect(pieces.map(\.start) == [0, 100])
    #expect(pieces[0].alsoHeard.map(\.match.referenceIdentifier) == ["2"] && pieces[1].alsoHeard.isEmpty)
  }

  /// The pieces always cover the whole recording.
  @Test(arguments: 0..<300) func piecesTileTheRecording(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let duration = Double.random(in: 1...600, using: &random)
    let cues = (0..<Int.random(in: 0...12, using: &random)).map { _ in
      let start = Double.random(in: 0...duration, using: &random)
      return Cues.Cue(
        start, min(duration, start + .random(in: 0...200, using: &random)), from: .random(in: -1...100, using: &random),
        length: .random(in: 1...400, using: &random))
    }
    let pieces = MixPiece.pieces(of: try Cues.sheet(cues, duration: duration))
    #expect(pieces.first?.start == 0 && pieces.last?.end == duration)
    for (piece, next) in zip(pieces, pieces.dropFirst()) { #expect(piece.end == next.start) }
    #expect(pieces.allSatisfy { $0.end > $0.start && $0.overlap >= 0 })
    let heard = pieces.compactMap(\.cue).count + pieces.reduce(0) { $0 + $1.alsoHeard.count }
    #expect(heard == cues.count)
  }

  @Test func namesArePortable() throws {
    func name(_ artist: String?, _ title: String?, number: Int = 3, of count: Int = 12) throws -> String {
      let sheet = try Cues.sheet([.init(0, 60, from: 0, artist: artist, title: title)], duration: 60)
      return PieceName.name(
        of: MixPiece.pieces(of: sheet)[0], number: number, of: count, fileExtension: "flac")
    }
    #expect(try name("AC/DC", "T.N.T.") == "03 AC_DC - T.N.T.flac")
    #expect(try name(nil, "../../etc/passwd") == "03 _.._etc_passwd.flac")
    #expect(try name("a\u{0}b\nc", "x\u{202E}y: *?\"<>|\\") == "03 ab c - xy_ _______.flac")
    #expect(try name(nil, " . ") == "03 _.flac")
    #expect(try name(nil, nil, number: 7, of: 120) == "007 1.flac")
    #expect(try name("ä", "日本", number: 1, of: 1) == "01 ä - 日本.flac")
    let long = try name(String(repeating: "👩‍👩‍👧", count: 60), "x")
    #expect(long.utf8.count <= 255 && long.hasSuffix("👩‍👩‍👧.flac"))
    let unknown = MixPiece(start: 754.9, end: 800)
    #expect(PieceName.name(of: unknown, number: 3, of: 9, fileExtension: "mp3") == "03 unknown 12-34.mp3")
    let late = MixPiece(start: 3723, end: 4000)
    #expect(PieceName.name(of: late, number: 3, of: 9, fileExtension: "mp3") == "03 unknown 1-02-03.mp3")
  }
}

/// Hand-made cue sheets.
enum Cues {
  struct Cue {
    var start: Double
    var end: Double
    /// Position in the track at `start`, in seconds.
    var offset: Double
    /// Seconds of the track.
    var length: Double
    var artist: String?
    var title: String?

    init(
      _ start: Double, _ end: Double, from offset: Double, length: Double = 1000, artist: String? = nil,
      title: String? = nil
    ) {
      (self.start, self.end, self.offset, self.length) = (start, end, offset, length)
      (self.artist, self.title) = (artist, title)
    }
  }

  /// References are named 1, 2, …
  static func sheet(_ cues: [Cue], duration: Double) throws -> CueSheet {
    let made = try cues.enumerated().map { index, cue in
      var item: [String: Any] = [
        "genres": ["Trance"], "time_ranges": [], "frequency_skew_ranges": [], "properties": [:],
      ]
      item["artist"] = cue.artist
      item["title"] = cue.title
      item["isrc"] = "DEA0123456789".prefix(12).description
      let match: [String: Any] = [
        "item": item, "reference": "\(index + 1)", "reference_duration_s": cue.length, "match_offset_s": cue.offset,
        "elapsed_s": 0, "speed": 1, "frequency_skew": 0, "confidence": 1,
      ]
      let json: [String: Any] = [
        "start_s": cue.start, "end_s": cue.end, "match": match, "alternatives": [], "speed": 1, "confidence": 1,
      ]
      return try JSONDecoder().decode(CueSheet.Cue.self, from: JSONSerialization.data(withJSONObject: json))
    }
    return CueSheet(cues: made, duration: duration)
  }
}
