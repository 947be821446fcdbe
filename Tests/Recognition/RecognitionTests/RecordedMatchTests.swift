import Analysis
import AnalysisTesting
import Glibc
import Landmarks
import Testing

@testable import Recognition

/// Results of matches of made landmarks, from clear ones to those that are just missed, as they were recorded.
@Suite(.bounded) struct RecordedMatchTests {
  // MARK: Tracks

  private static let columnCount = 1_200

  /// One landmark in each column.
  private static func piece(seed: UInt64, count: Int = columnCount) -> [Landmark] {
    var random = Music.Random(state: seed &* 104_729)
    return (0..<count).map {
      Landmark(
        column: $0, band: Int.random(in: 14..<124, using: &random), strength: Int.random(in: 1..<16, using: &random))
    }
  }

  /// Replaces a percentage of the landmarks with others.
  private static func changed(_ landmarks: [Landmark], percent: Int, seed: UInt64) -> [Landmark] {
    var random = Music.Random(state: seed &* 15_485_863)
    return sorted(
      landmarks.map { landmark in
        let other = Landmark(
          column: landmark.column, band: Int.random(in: 0..<138, using: &random),
          strength: Int.random(in: 1..<16, using: &random))
        return Int.random(in: 0..<100, using: &random) < percent ? other : landmark
      })
  }

  /// Unique landmarks in the order of signatures.
  private static func sorted(_ landmarks: [Landmark]) -> [Landmark] {
    let ordered = landmarks.sorted { ($0.column, $0.band, $0.strength) < ($1.column, $1.band, $1.strength) }
    return ordered.indices.filter { index in
      index == 0 || ordered[index - 1].column != ordered[index].column || ordered[index - 1].band != ordered[index].band
    }.map { ordered[$0] }
  }

  /// Plays columns of a track, faster by `slope` and higher by `bands`.
  private static func played(
    _ landmarks: [Landmark], from start: Int, count: Int, slope: Double = 1, bands: Int = 0, at column: Int = 0
  ) -> [Landmark] {
    sorted(
      landmarks.compactMap { landmark in
        let place = Int((Double(landmark.column - start) / slope).rounded())
        let band = landmark.band + bands
        guard (0..<count).contains(place), (0..<138).contains(band) else { return nil }
        return Landmark(column: column + place, band: band, strength: landmark.strength)
      })
  }

  private static func query(_ landmarks: [Landmark], count: Int) -> RecognitionQuery {
    RecognitionQuery(Signature(landmarks: sorted(landmarks), columnCount: count))
  }

  /// Six pieces, a copy of the first, one that has every second column of the second, and one that repeats a passage.
  private static let tracks: [[Landmark]] = {
    var tracks = (UInt64(1)...6).map { piece(seed: $0) }
    tracks.append(changed(tracks[0], percent: 20, seed: 7))
    let (one, other) = (tracks[1], piece(seed: 8))
    tracks.append(one.indices.map { $0 % 2 == 0 ? one[$0] : other[$0] })
    let passage = played(piece(seed: 9), from: 100, count: 150)
    tracks.append(
      (0..<8).flatMap { number in
        changed(passage, percent: 8 * number, seed: UInt64(60 + number)).map {
          Landmark(column: $0.column + 150 * number, band: $0.band, strength: $0.strength)
        }
      })
    return tracks
  }()

  private static func hit(
    _ track: Int, center: Float, slope: Float = 1, shift: Int = 0, z: Float = 20
  ) -> Matcher.Hit {
    Matcher.Hit(
      segment: 0, track: track, placement: MatchedFilter.Placement(center: center, slope: slope, shift: shift), z: z)
  }

  // MARK: Texts

  /// To an eighth of a column.
  private static func text(_ column: Double) -> String { "\((column * 8).rounded() / 8)" }

  private static func text(_ hit: Matcher.Hit) -> String {
    let place = hit.placement
    return "\(hit.track) at \(text(Double(place.center))) by \(place.slope) and \(place.shift) z \(hit.z)"
  }

  private static func text(_ finding: Finding?) -> String {
    guard let finding else { return "none" }
    return "\(text(finding.hit)); twins [\(finding.twins.map { text($0) }.joined(separator: ", "))]; "
      + "shifted \(finding.shifted) next \(finding.runnerUp) explained \(finding.overlap.explained) "
      + "present \(finding.overlap.present) \(finding.isAccepted ? "accepted" : "refused") "
      + "\(finding.isCertain ? "certain" : "uncertain") odds \(finding.logOdds)"
  }

  private static func text(_ tracks: [DetectedTrack]) -> String {
    tracks.isEmpty
      ? "none"
      : tracks.map { "\(text($0.part)) \(text($0.finding))" }.joined(separator: " | ")
  }

  private static func text(_ part: Range<Double>) -> String { "\(text(part.lowerBound)) to \(text(part.upperBound))" }

  private static func match(_ matcher: inout Matcher, _ query: RecognitionQuery) -> String {
    var hits: [Matcher.Hit] = []
    let finding = matcher.match(query, &hits)
    let rest = hits.prefix(5).map { "\($0.track) z \($0.z)" }.joined(separator: ", ")
    return "\(text(finding)); \(hits.count) hits [\(rest)]"
  }

  // MARK: Matches

  @Test func stages() throws {
    var results = RecordedResults("Recognition/stages.txt")
    for stage in Matcher.stages + Matcher.farStages {
      results.add(
        "\(stage.name)",
        "\(stage.limit) \(stage.isThorough) \(stage.binWidthLog2) \(stage.candidateCount) \(stage.byteBudget)")
      results.add("\(stage.name), slopes", numbers: stage.transforms.map(\.slope))
      results.add("\(stage.name), shifts", numbers: stage.transforms.map(\.shift))
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Clips that are faster or slower, higher or lower, and both.
  @Test func changedClips() throws {
    var results = RecordedResults("Recognition/changed-clips.txt")
    var matcher = Matcher(segments: [try Catalogs.segment(Self.tracks)])
    func add(_ slope: Double, _ bands: Int, _ matcher: inout Matcher) {
      let clip = Self.played(Self.tracks[2], from: 300, count: 280, slope: slope, bands: bands)
      results.add("slope \(slope), bands \(bands)", Self.match(&matcher, Self.query(clip, count: 280)))
    }
    for percent in stride(from: 85, through: 115, by: 3) {
      let slope = Double(percent) / 100
      add(slope, 0, &matcher)
      add(slope, Int((36 * log2(slope)).rounded()), &matcher)
    }
    for bands in [-14, -11, -9, -7, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 9, 11, 14] { add(1, bands, &matcher) }
    for (slope, bands) in [(1.004, 0), (0.996, 0), (1.01, 3), (1.06, -3), (0.94, 3), (1.02, 5)] {
      add(slope, bands, &matcher)
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Clips of all lengths that lack more and more of their landmarks.
  @Test func unclearClips() throws {
    var results = RecordedResults("Recognition/unclear-clips.txt")
    var matcher = Matcher(segments: [try Catalogs.segment(Self.tracks)])
    for count in [14, 20, 40, 80, 160, 249, 251, 400] {
      for percent in [0, 40, 60, 70, 80, 90] {
        let clip = Self.changed(
          Self.played(Self.tracks[3], from: 500, count: count), percent: percent, seed: UInt64(count + percent))
        results.add("\(count) columns, \(percent)% changed", Self.match(&matcher, Self.query(clip, count: count)))
      }
    }
    // Copies, relatives and repetitions.
    for (track, start) in [(0, 200), (6, 200), (1, 700), (7, 700), (8, 40), (8, 460), (8, 1_040)] {
      for percent in [0, 30, 55] {
        let clip = Self.changed(
          Self.played(Self.tracks[track], from: start, count: 140), percent: percent, seed: UInt64(track + percent))
        results.add(
          "track \(track) from \(start), \(percent)% changed", Self.match(&matcher, Self.query(clip, count: 140)))
      }
    }
    // At the ends of a track, and from nowhere.
    for start in [-100, -60, 1_080, 1_120, 1_500] {
      let clip = Self.played(Self.tracks[4], from: start, count: 200)
      results.add("from \(start)", Self.match(&matcher, Self.query(clip, count: 200)))
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// The places that a catalog offers as a part of larger ones.
  @Test func placesOfAPart() throws {
    var results = RecordedResults("Recognition/places.txt")
    // A passage in forty tracks, which have it less and less clearly, and twice each.
    let passage = Self.played(Self.piece(seed: 70), from: 0, count: 200)
    let tracks = (0..<40).map { (number: Int) -> [Landmark] in
      let first = Self.changed(passage, percent: 2 * number, seed: UInt64(100 + number))
      let second = Self.changed(passage, percent: 2 * number + 5, seed: UInt64(400 + number))
      return first + Self.played(second, from: 0, count: 200, at: 300)
    }
    var matcher = Matcher(segments: [
      try Catalogs.segment(Self.tracks + tracks), try Catalogs.segment(Array(tracks.prefix(3))),
    ])
    let query = Self.query(passage, count: 200)
    let short = Self.query(Self.played(passage, from: 60, count: 50), count: 50)
    for (name, query) in [("200 columns", query), ("50 columns", short)] {
      for stage in Matcher.Stage.Name.allCases {
        for postingCount in [0, 6_000_000, 1 << 33, 1 << 40] {
          let question = PartQuestion.places(PlaceSearch(query, stage, postingCount: postingCount)).bytes
          let answer = try PartAnswer.read(try matcher.answer(question, losses: []), to: question)
          guard case .places(let found) = answer.answer else { throw PartFailure("another kind") }
          let places = found.places.map { place in
            "\(place.name.segment) \(place.name.track) at \(Self.text(Double(place.placement.center))) z \(place.z)"
          }
          results.add(
            "\(name), \(stage), of \(postingCount)",
            "\(answer.postingCount) \(found.hasReadAll) \(places.joined(separator: ", "))")
        }
      }
      results.add("\(name), match", Self.match(&matcher, query))
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  // MARK: Tracks of a recording

  /// Tracks in sequence, from the shortest that are found.
  @Test func sequences() throws {
    var results = RecordedResults("Recognition/sequences.txt")
    var matcher = Matcher(segments: [try Catalogs.segment(Self.tracks)])
    var clips: [(name: String, query: RecognitionQuery)] = []
    func add(_ name: String, _ landmarks: [Landmark], _ count: Int) {
      clips.append((name, Self.query(landmarks, count: count)))
    }
    let noise = Self.piece(seed: 200)
    for count in [50, 80, 93, 94, 95, 110, 150, 220] {
      let first = Self.played(Self.tracks[2], from: 400, count: 200)
      add(
        "\(count) columns after another", first + Self.played(Self.tracks[3], from: 100, count: count, at: 200),
        200 + count)
      let last = Self.played(Self.tracks[2], from: 400, count: 200, at: count)
      add(
        "\(count) columns before another", Self.played(Self.tracks[3], from: 100, count: count) + last, 200 + count)
      add("\(count) columns alone", Self.played(Self.tracks[3], from: 100, count: count), count)
      add(
        "\(count) columns in noise",
        Self.played(noise, from: 0, count: 100) + Self.played(Self.tracks[3], from: 100, count: count, at: 100)
          + Self.played(noise, from: 300, count: 100, at: 100 + count), 200 + count)
    }
    // The same track again, where it would continue, nearly so, and elsewhere.
    for start in [300, 310, 325, 335, 360, 700] {
      add(
        "again from \(start)",
        Self.played(Self.tracks[4], from: 0, count: 150) + Self.played(noise, from: 0, count: 150, at: 150)
          + Self.played(Self.tracks[4], from: start, count: 150, at: 300), 450)
    }
    add(
      "three tracks",
      Self.played(Self.tracks[0], from: 10, count: 160) + Self.played(Self.tracks[3], from: 20, count: 160, at: 160)
        + Self.played(Self.tracks[5], from: 30, count: 160, slope: 1.03, bands: 2, at: 320), 480)
    add("noise", Self.played(noise, from: 0, count: 400), 400)
    add("nothing", [], 200)
    for clip in clips { results.add(clip.name, Self.text(matcher.tracks(in: clip.query))) }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Two tracks at the same time, the second from clear to hardly there.
  @Test func mixtures() throws {
    var results = RecordedResults("Recognition/mixtures.txt")
    var matcher = Matcher(segments: [try Catalogs.segment(Self.tracks)])
    var clips: [(name: String, query: RecognitionQuery)] = []
    func add(_ name: String, _ landmarks: [Landmark], _ count: Int) {
      clips.append((name, Self.query(landmarks, count: count)))
    }
    func mixed(_ count: Int, percent: Int, slope: Double = 1, bands: Int = 0) -> [Landmark] {
      let first = Self.played(Self.tracks[2], from: 300, count: count)
      let second = Self.played(Self.tracks[5], from: 500, count: count, slope: slope, bands: bands)
      return first + Self.changed(second, percent: percent, seed: UInt64(percent + count))
    }
    for percent in [0, 30, 50, 65, 80] {
      for count in [90, 150, 300] {
        add("\(count) columns, \(percent)% changed", mixed(count, percent: percent), count)
      }
    }
    for (slope, bands) in [(1.03, 2), (0.97, -2), (1.05, 0), (0.95, 0), (1.0, 2), (1.09, 4)] {
      add("slope \(slope), bands \(bands)", mixed(300, percent: 0, slope: slope, bands: bands), 300)
    }
    // One fades into the other.
    for overlap in [20, 60, 120, 200] {
      add(
        "\(overlap) columns of both",
        Self.played(Self.tracks[2], from: 300, count: 220)
          + Self.played(Self.tracks[5], from: 500, count: 220, at: 220 - overlap), 440 - overlap)
    }
    // Relatives do not sound at the same time.
    for (name, one, other) in [("relatives", 1, 7), ("copies", 0, 6)] {
      let both = Self.played(Self.tracks[one], from: 300, count: 250)
      add(name, both + Self.played(Self.tracks[other], from: 300, count: 250), 250)
    }
    for clip in clips { results.add(clip.name, Self.text(matcher.tracks(in: clip.query))) }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Hits that are judged without being searched for.
  @Test func givenHits() throws {
    var results = RecordedResults("Recognition/given-hits.txt")
    var matcher = Matcher(segments: [try Catalogs.segment(Self.tracks)])
    let count = 300
    let clip = Self.query(
      Self.played(Self.tracks[2], from: 300, count: count) + Self.played(Self.tracks[5], from: 500, count: count),
      count: count)
    let (first, second) = (Self.hit(2, center: 450), Self.hit(5, center: 650))
    let others = [Self.hit(0, center: 600), Self.hit(3, center: 600), Self.hit(4, center: 600)]
    for z in [4.9, 5, 5.1] as [Float] {
      var (best, rival) = (first, second)
      best.z = z
      results.add("first with z \(z)", Self.text(matcher.separated([best, second], in: clip)))
      rival.z = z
      results.add("second with z \(z)", Self.text(matcher.separated([first, rival], in: clip)))
    }
    for number in 0...3 {
      let hits = [first] + others.prefix(number) + [second]
      results.add("\(number) others", Self.text(matcher.separated(hits, in: clip)))
      results.add("\(number) others, judged", Self.text(matcher.judgement(of: first, hits, in: clip)))
      results.add("\(number) others, second judged", Self.text(matcher.judgement(of: second, hits, in: clip)))
    }
    for stages in [Array(Matcher.stages.prefix(1)), Matcher.stages, Matcher.farStages] {
      results.add("\(stages.map(\.name)), clear", Self.text(matcher.clearMatch(clip, in: stages)))
      for percent in [40, 55, 62, 69, 76] {
        let unclear = Self.query(
          Self.changed(Self.played(Self.tracks[3], from: 200, count: 200), percent: percent, seed: UInt64(percent)),
          count: 200)
        results.add("\(stages.map(\.name)), \(percent)%", Self.text(matcher.clearMatch(unclear, in: stages)))
      }
    }
    for columns in [0..<300, 0..<1, 0..<14, 0..<15, 0..<16, 100..<200, 250..<300] {
      var fits: [Float] = []
      for hit in [first, second, others[0]] { fits.append(matcher.fit(hit, in: clip, columns)) }
      results.add("fit in \(columns.lowerBound) to \(columns.upperBound)", numbers: fits)
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// The part of a query in which a track is heard, by the lengths before and behind it.
  @Test func parts() throws {
    var results = RecordedResults("Recognition/parts.txt")
    var matcher = Matcher(segments: [try Catalogs.segment(Self.tracks)])
    let noise = Self.piece(seed: 300)
    var clips: [(name: String, hit: Matcher.Hit, query: RecognitionQuery)] = []
    func add(
      _ name: String, before: Int, count: Int, behind: Int, from start: Int, percent: Int = 0, slope: Double = 1
    ) {
      let whole = before + count + behind
      let heard = Self.played(Self.tracks[3], from: start, count: count, slope: slope, at: before)
      let clip = Self.query(
        Self.played(noise, from: 0, count: before) + Self.changed(heard, percent: percent, seed: 3)
          + Self.played(noise, from: 600, count: behind, at: before + count), count: whole)
      let center = Double(start) + slope * (Double(whole) / 2 - Double(before))
      clips.append((name, Self.hit(3, center: Float(center), slope: Float(slope)), clip))
    }
    for length in [0, 1, 14, 15, 16, 17, 30, 60, 120] {
      add("\(length) before", before: length, count: 200, behind: 0, from: 500)
      add("\(length) behind", before: 0, count: 200, behind: length, from: 500)
      add("\(length) before and behind", before: length, count: 160, behind: length + 3, from: 500, percent: 30)
    }
    for count in [10, 63, 64, 65, 126, 127, 128, 129, 130] {
      add("\(count) columns", before: 0, count: count, behind: 0, from: 500)
      add("\(count) columns in noise", before: 90, count: count, behind: 70, from: 500)
    }
    // Near the edges of the track.
    for start in [0, 10, 40, 46, 47, 48, 60] {
      add("from \(start)", before: 70, count: 200, behind: 0, from: start)
      add("to \(start) before the end", before: 0, count: 200, behind: 70, from: 1_000 - start)
    }
    for percent in [20, 40, 60, 80, 100] {
      add("\(percent)% changed", before: 80, count: 200, behind: 80, from: 500, percent: percent)
    }
    for slope in [0.9, 1.1] { add("slope \(slope)", before: 80, count: 200, behind: 80, from: 500, slope: slope) }
    add("another place", before: 0, count: 200, behind: 0, from: 5_000)
    for clip in clips { results.add(clip.name, Self.text(matcher.detectedPart(of: clip.hit, in: clip.query))) }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Recordings with silence before, in and after the music.
  @Test func partsBetweenSilences() throws {
    var results = RecordedResults("Recognition/silences.txt")
    let segment = try Catalogs.segment(Catalogs.references.map(\.signature.landmarks))
    var matcher = Matcher(segments: [segment])
    let music = Music.piece(seed: 3, seconds: 8, from: 9)
    func silence(_ seconds: Double) -> [Float] {
      [Float](repeating: 0, count: Int(seconds * Double(Music.sampleRate)))
    }
    for seconds in [0.3, 0.6, 2] {
      for (name, samples) in [
        ("before", silence(seconds) + music), ("behind", music + silence(seconds)),
        ("within", Array(music.prefix(32_000)) + silence(seconds) + Array(music.suffix(32_000))),
        ("between tracks", music + silence(seconds) + Music.piece(seed: 5, seconds: 5, from: 3)),
      ] {
        let query = Catalogs.query(samples)
        results.add("\(seconds) s \(name), silences", query.silences.map { "\($0)" }.joined(separator: " "))
        results.add("\(seconds) s \(name)", Self.text(matcher.tracks(in: query)))
      }
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// References that share more and more of a recording.
  @Test func recordings() throws {
    var results = RecordedResults("Recognition/recordings.txt")
    let clip = Self.query(Self.played(Self.tracks[2], from: 500, count: 200), count: 200)
    func isSame(_ other: [Landmark], center: Float = 600) throws -> Bool {
      var matcher = Matcher(segments: [try Catalogs.segment([Self.tracks[2], other])])
      return matcher.isSameRecording(Self.hit(1, center: center), as: Self.hit(0, center: 600), clip)
    }
    for percent in stride(from: 30, through: 70, by: 2) {
      results.add("\(percent)% changed", try isSame(Self.changed(Self.tracks[2], percent: percent, seed: 11)))
    }
    // The other one begins late or ends soon.
    for count in [5, 12, 13, 14, 15, 16, 17, 18, 19, 20, 40] {
      let end = Self.tracks[2].filter { $0.column < 288 + count }
      results.add("the first \(count) columns around", try isSame(end))
      let start = 913 - count
      let late = Self.tracks[2].filter { $0.column >= start }.map {
        Landmark(column: $0.column - start, band: $0.band, strength: $0.strength)
      }
      results.add("the last \(count) columns around", try isSame(late, center: Float(600 - start)))
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }
}
