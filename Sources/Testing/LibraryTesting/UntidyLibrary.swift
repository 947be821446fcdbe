internal import Analysis
internal import DSP
internal import Foundation
internal import LibraryStore
public import Platform
internal import Records
public import ResultStore
public import SystemPackage

/// A realistic library, with gaps, contradictions and odd names. It is identical on every machine, so output can be
/// compared with earlier output.
public enum UntidyLibrary {
  public static let root: FilePath = "/music"

  /// The files, by short names.
  public static let files: [String: LibraryFile] = Dictionary(uniqueKeysWithValues: named)

  /// The files, in the order of the definitions below.
  private static let named: [(String, LibraryFile)] = [
    ("hunter", hunter), ("joga", joga), ("copy", copy), ("lungs3", lungs3), ("lungs4", lungs4), ("queen", queen),
    ("abba", abba), ("guests", guests), ("guest", guest), ("sampler1", sampler1), ("sampler2", sampler2),
    ("ring1", ring1), ("ring2", ring2), ("noartist", noArtist), ("notags", noTags), ("failed", failed),
    ("cut", cut), ("rain", rain), ("bytes", bytes), ("quotes", quotes), ("long", long), ("tokyo", tokyo),
    ("single", single), ("gone", gone),
  ]

  /// Files that only the second run finds.
  private static let latest: Set<String> = ["bytes", "quotes", "long", "tokyo", "single", "failed", "copy"]

  // MARK: Filling

  /// Simulates two runs, a month apart. Then corrects tempos, creates playlists and saves items.
  public static func fill(_ store: ResultStore) throws {
    let clock = try DatabaseClock(store)
    let all = LibraryFiles(named.map(\.1))
    let early = Set(named.filter { !latest.contains($0.0) }.map(\.1.path))
    let (first, second) = (time("2024-02-01T01:00:00Z"), time("2024-03-01T01:00:00Z"))
    try clock.at(first) { try all.merge(early, into: store, analyzed: first) }
    try clock.at(second) {
      try all.run(
        in: store, root: root, without: [gone.path],
        skipping: [
          SkippedFile(path: "/music/Björk/Homogenic/cover.jpg", code: "not_audio", message: "A picture."),
          SkippedFile(
            path: "/music/locked.flac", code: "unreadable", message: "It may not be read.", isFailure: true),
        ], analyzed: second)
    }
    try correct(store, clock)
    try collect(store, clock)
  }

  private static func correct(_ store: ResultStore, _ clock: DatabaseClock) throws {
    for (bpm, day) in [(87.5, 2), (175.0, 3)] {
      let time = time("2024-03-0\(day)T20:00:00Z")
      let correction = TempoCorrection(bpm: bpm, grid: nil, corrected: time)
      try clock.at(time) { try store.correctTempo([joga.contentID: correction]) }
    }
    let time = time("2024-03-04T20:00:00Z")
    try clock.at(time) {
      try store.correctTempo([rain.contentID: TempoCorrection(bpm: nil, grid: nil, corrected: time)])
    }
  }

  private static func collect(_ store: ResultStore, _ clock: DatabaseClock) throws {
    let lists: [(String, String, String?, Bool, [LibraryFile])] = [
      ("mix", "Morgens & „früh“ <1>", "Two\nlines", true, [hunter, queen, tokyo, hunter]),
      ("old", "Old", nil, false, [joga, gone, failed, bytes]),
      ("empty", "Empty", nil, false, []), ("one", "One", nil, true, [tokyo]),
    ]
    for (index, (name, title, description, isPublic, tracks)) in lists.enumerated() {
      try clock.at(time("2024-03-05T1\(index):00:00Z")) {
        let made = try store.createPlaylist(
          named: title, description: description, isPublic: isPublic, tracks: tracks.map(reference))
        try clock.rename(playlist: made.id, to: playlist(name))
      }
    }
    for (index, track) in [hunter, tokyo, quotes].enumerated() {
      try clock.at(time("2024-03-06T1\(index):00:00Z")) { try store.save([reference(track)]) }
    }
    for (hour, name) in ["Björk", "Florence / The Machine"].enumerated() {
      try clock.at(time("2024-03-07T1\(hour):00:00Z")) {
        try store.save(.artist, ids: [SongArtist(named: name).id])
      }
    }
    let ids = try ids(in: store)
    for (hour, name) in ["queen-hits", "guest"].enumerated() {
      try clock.at(time("2024-03-08T1\(hour):00:00Z")) { try store.save(.album, ids: [ids[name] ?? ""]) }
    }
  }

  private static func reference(_ file: LibraryFile) -> TrackReference {
    TrackReference(path: file.path, contentID: file.failure == nil ? file.contentID : nil)
  }

  private static func playlist(_ name: String) -> String {
    ContentID(hashing: Array("playlist \(name)".utf8)).description
  }

  // MARK: Ids

  /// The ids of tracks, albums, artists and playlists, by short names.
  public static func ids(in store: ResultStore) throws -> [String: String] {
    var ids = files.mapValues(\.id)
    for (name, artist) in [
      ("bjork", "Björk"), ("florence", "Florence / The Machine"), ("queens", "Queen"), ("bowie", "David Bowie"),
      ("various", "Various Artists"), ("wagner", "Wagner"), ("nobody", ""),
    ] {
      ids[name] = SongArtist(named: artist).id
    }
    for name in ["mix", "old", "empty", "one"] { ids["list-\(name)"] = playlist(name) }
    for (name, file) in [
      ("homogenic", hunter), ("lungs", lungs3), ("queen-hits", queen), ("abba-hits", abba), ("sampler", sampler1),
      ("ring", ring1), ("unnamed", noArtist),
    ] {
      ids[name] = try store.song(id: file.id)?.album?.id
    }
    return ids
  }

  public static func time(_ text: String) -> Timestamp {
    let date = (try? Date(text, strategy: .iso8601)) ?? Date(timeIntervalSince1970: 0)
    return Timestamp(nanoseconds: Int64(date.timeIntervalSince1970) * 1_000_000_000)
  }

  // MARK: Albums

  static let hunter: LibraryFile = {
    var file = LibraryFile(
      path: "/music/Björk/Homogenic/01 Hunter.flac",
      tags: [
        "title": ["Hunter"], "artist": ["Björk"], "album": ["Homogenic"], "albumartist": ["Björk"], "track": ["1"],
        "tracktotal": ["10"], "disc": ["1"], "disctotal": ["1"], "date": ["1997-09-22"], "originaldate": ["1997"],
        "genre": ["Electronic", "Art Pop"], "isrc": ["GB-AYE-97-00101"], "label": ["One Little Indian"],
        "releasetype": ["album"], "media": ["CD"], "releasecountry": ["GB"], "bpm": ["100"], "initialkey": ["Em"],
        "musicbrainz_recordingid": ["1A1B1C1D-0001-4000-8000-00000000000A"],
        "musicbrainz_trackid": ["1a1b1c1d-0002-4000-8000-00000000000a"],
        "musicbrainz_albumid": ["1a1b1c1d-0003-4000-8000-00000000000a"],
        "musicbrainz_artistid": ["1a1b1c1d-0004-4000-8000-00000000000a"],
        "musicbrainz_albumartistid": ["1a1b1c1d-0004-4000-8000-00000000000a"],
        "musicbrainz_releasegroupid": ["1a1b1c1d-0005-4000-8000-00000000000a"],
        "rating": ["4.5"], "comment": ["two\nlines"], "other:MOOD": ["calm", "late, \"blue\""],
      ], findings: sound(bpm: 87.5, key: MusicalKey(pitchClass: 4, mode: .minor), loudness: -9, seed: 1),
      lyrics: [
        TagFinding.Lyrics(
          language: "eng", text: "[00:01.50]One & <two>\n[00:04.00]Zwei",
          lines: [.init(seconds: 1.5, text: "One & <two>"), .init(seconds: 4, text: "Zwei")]),
        TagFinding.Lyrics(description: "plain", text: "la\r\nla"),
      ])
    file.tags.pictures = [.init(type: "front cover", mime: "image/jpeg", sizeBytes: 51_234)]
    file.tags.chapters = [.init(startSeconds: 0, endSeconds: 62.5, title: "One"), .init(startSeconds: 62.5)]
    file.tags.formats = ["vorbis"]
    var waveform = WaveformFinding()
    (waveform.sampleRate, waveform.samplesPerPoint, waveform.pointCount) = (44_100, 2_205_000, 4)
    (waveform.peak, waveform.lowPeak, waveform.midPeak, waveform.highPeak) = (-0.5, -3, -6, -12.25)
    waveform.minima = [1, 64, 100, 128]
    waveform.maxima = [255, 200, 150, 128]
    for list in [
      \WaveformFinding.rms, \.lowPeaks, \.lowRMS, \.midPeaks, \.midRMS, \.highPeaks, \.highRMS, \.onsets,
    ] { waveform[keyPath: list] = [200, 100, 50, 0] }
    waveform.onsetStepSeconds = 50
    file.findings.append(("waveform", waveform))
    file.findings.append(
      (
        "sections",
        SectionsFinding(map: [
          .init(startSeconds: 0, endSeconds: 40.5, label: "A", levelDecibels: -12.5),
          .init(startSeconds: 40.5, endSeconds: 120, label: "B", levelDecibels: -6),
          .init(startSeconds: 120, endSeconds: 200, label: "A", levelDecibels: -12),
        ])
      ))
    var cues = CuesFinding()
    (cues.leadingSilence, cues.trailingSilence, cues.fadeOut, cues.firstBeat) = (0.25, 1.5, 4, 0.5)
    (cues.introEnd, cues.outroStart, cues.highlightStart, cues.highlightEnd) = (16, 180, 60, 90)
    (cues.mixInStart, cues.mixInEnd, cues.mixOutStart, cues.mixOutEnd) = (0.5, 16.5, 170, 190)
    file.findings.append(("cues", cues))
    file.findings.append(
      ("chromaprint", FingerprintFinding(algorithm: "chromaprint-2", duration: 120, value: fingerprints[0])))
    return dated(file, 1)
  }()

  /// A file with a corrected tempo.
  static let joga: LibraryFile = {
    var file = LibraryFile(
      path: "/music/Björk/Homogenic/02 Jóga.flac",
      tags: [
        "title": ["Jóga"], "artist": ["Björk"], "album": ["Homogenic"], "albumartist": ["Björk"], "track": ["2/10"],
        "date": ["1997-09-22"], "genre": ["Electronic"],
        "musicbrainz_recordingid": ["1a1b1c1d-0006-4000-8000-00000000000a"],
        "musicbrainz_albumid": ["1a1b1c1d-0003-4000-8000-00000000000a"],
      ], findings: sound(bpm: 58.33, key: MusicalKey(pitchClass: 1, mode: .major), loudness: -14, seed: 2))
    file.findings.append(
      ("chromaprint", FingerprintFinding(algorithm: "chromaprint-2", duration: 120, value: fingerprints[1])))
    return dated(file, 2)
  }()

  /// The same audio as `hunter` in another folder, with other tags.
  static let copy: LibraryFile = {
    var file = hunter
    file.path = "/music/Copies/Hunter (1).flac"
    file.tags = TagFinding(fields: ["title": ["hunter"], "artist": ["BJÖRK"]])
    return dated(file, 3)
  }()

  /// One artist, whose name contains the artist separator, and no title.
  static let lungs3 = dated(
    mp3(
      "/music/Florence/Lungs/03.mp3",
      [
        "artist": ["Florence / The Machine"], "albumartist": ["Florence / The Machine"], "album": ["Lungs"],
        "date": ["03/1999"], "genre": ["indie rock"],
      ]), 4)

  static let lungs4 = dated(
    mp3(
      "/music/Florence/Lungs/04.mp3",
      [
        "title": ["Kiss with a Fist"], "artist": ["Florence + the Machine"],
        "albumartist": ["Florence / The Machine"], "album": ["Lungs"], "track": ["four"], "date": ["19990301"],
        "genre": ["Indie Rock", "Indie-Rock"],
      ]), 5)

  /// Two artists, as two values.
  static let queen = dated(
    LibraryFile(
      path: "/music/Queen/Greatest Hits/07 Under Pressure.flac",
      tags: [
        "title": ["Under Pressure"], "artist": ["Queen", "David Bowie"], "albumartist": ["Queen"],
        "album": ["Greatest Hits"], "track": ["07"], "date": ["1999-03"], "genre": ["Rock"],
        "releasetype": ["compilation"],
      ], findings: sound(bpm: 113.6, key: MusicalKey(pitchClass: 2, mode: .major), loudness: -10.5, seed: 3)), 6)

  /// Another album with the same name as that of `queen`.
  static let abba = dated(
    mp3(
      "/music/ABBA/Greatest Hits/S.O.S.mp3",
      ["title": ["S.O.S."], "artist": ["ABBA"], "album": ["Greatest Hits"], "date": ["1975"], "track": ["1"]]), 7)

  /// Artists listed separately, in addition to the credit.
  static let guests = dated(
    mp3(
      "/music/Empire State of Mind.mp3",
      [
        "title": ["Empire State of Mind (Part II)"], "artist": ["JAY-Z feat. Alicia Keys"],
        "artists": ["JAY-Z", "Alicia Keys"], "date": ["2009-00-00"], "genre": ["Hip-Hop; R&B"],
      ]), 8)

  /// A guest named only in the credit, and only the date of the first release.
  static let guest = dated(
    mp3(
      "/music/Get Lucky.mp3",
      [
        "title": ["Get Lucky (feat. Pharrell Williams)"], "artist": ["Daft Punk feat. Pharrell Williams"],
        "originaldate": ["2013-04-19"], "genre": ["Disco"],
      ]), 9)

  static let sampler1 = dated(
    LibraryFile(
      path: "/music/Sampler/01.flac",
      tags: [
        "title": ["Weird Fishes"], "artist": ["Radiohead"], "album": ["Sampler"], "compilation": ["1"], "track": ["1"],
        "date": ["2008"],
      ], findings: sound(bpm: 153.2, key: MusicalKey(pitchClass: 9, mode: .minor), loudness: -11, seed: 4)), 10)

  static let sampler2 = dated(
    mp3(
      "/music/Sampler/02.mp3",
      ["title": ["Nobody’s"], "album": ["Sampler"], "compilation": ["1"], "track": ["2"], "date": ["2007"]]), 11)

  /// Two discs in separate folders; no disc number for the second.
  static let ring1 = dated(
    LibraryFile(
      path: "/music/Wagner/Der Ring/CD 1/01 Vorspiel.flac",
      tags: [
        "title": ["Das Rheingold: Vorspiel"], "artist": ["Wagner", "Wiener Philharmoniker"], "album": ["Der Ring"],
        "composer": ["Richard Wagner"], "conductor": ["Sir Georg Solti"], "disc": ["1/2"], "track": ["1"],
        "genre": ["Classical"], "date": ["1958"],
      ]), 12)

  static let ring2 = dated(
    LibraryFile(
      path: "/music/Wagner/Der Ring/CD 2/01 Ritt.flac",
      tags: [
        "title": ["Walkürenritt"], "artist": ["Wagner", "Wiener Philharmoniker"], "album": ["Der Ring"],
        "track": ["1"], "genre": ["Classical"], "date": ["1965"],
      ]), 13)

  static let noArtist = dated(
    mp3("/music/Unnamed/1.mp3", ["title": ["By Nobody"], "album": ["Unnamed"]]), 14)

  // MARK: Odd files

  static let noTags: LibraryFile = {
    var file = LibraryFile(path: "/music/deep/er/and/deeper/recording.wav", tags: [:])
    file.format = AudioFormat(
      container: "wav", codec: "pcm_s16", sampleRate: 48_000, channelCount: 1, bitDepth: 16, bitRate: 768_000,
      isLossless: true, frameCount: 24_000)
    file.notApplicable = ["tempo": "Shorter than 4 s.", "key": "Shorter than 4 s."]
    return dated(file, 15)
  }()

  static let failed = dated(
    LibraryFile(
      path: "/music/broken/empty.mp3", tags: [:],
      failure: Problem(stage: .open, code: "empty", message: "The file is empty.")), 16)

  static let cut: LibraryFile = {
    var file = mp3(
      "/music/broken/cut off.mp3", ["title": ["Cut Off"], "artist": ["A; B"], "track": ["0"], "date": ["soon"]])
    file.damage = Problem(stage: .decode, code: "truncated", message: "The stream ends 30 s early.")
    file.remarks = [Problem(stage: .decode, code: "not_finite", message: "12 samples were not finite.")]
    file.tags.remarks = ["The tag of ID3v1 says another title."]
    file.findings = sound(bpm: 200, key: nil, loudness: -3, seed: 5).filter { $0.analyzer != "likeness" }
    return dated(file, 17)
  }()

  /// No tempo was found, and a person confirmed that.
  static let rain = dated(
    LibraryFile(
      path: "/music/Noise/rain.flac", tags: ["title": ["Rain"], "genre": ["Field Recording"], "artist": [""]],
      findings: [
        ("tempo", TempoFinding.none(reason: "no_pulse")), ("key", KeyFinding.none(reason: "no_key")),
        ("loudness", LoudnessFinding(reason: "silence")),
        ("likeness", LikenessFinding(version: nil, descriptor: [], reason: "silence")),
      ]), 18)

  /// A name that is not UTF-8.
  static let bytes = dated(
    mp3(
      FilePath(bytes: Array("/music/odd/caf".utf8) + [0xE9, 0x20, 0xFF] + Array(".mp3".utf8)),
      ["artist": ["Été"], "genre": ["Chanson"]]), 19)

  /// Characters that formats must escape.
  static let quotes = dated(
    mp3(
      "/music/odd/\"q\" 'n' \\ <tag> & #1 %41; \u{1B}[31m\n\t.mp3",
      [
        "title": ["\"Quotes\" & <tags> \\ 'n' =1+1\u{1B}[31m\n\t\u{0}end"], "artist": ["=cmd|' /C calc'!A0"],
        "album": ["a,b;c\td"], "genre": ["R&B"], "track": ["-1"], "date": ["2004-02-29"],
      ]), 20)

  static let long: LibraryFile = {
    let name = String(repeating: "ä", count: 120)
    return dated(
      mp3(
        FilePath("/music/long/\(name).mp3"),
        ["title": [String(repeating: "Langer Titel ", count: 24)], "artist": [name], "album": [name + name]]), 21)
  }()

  static let tokyo: LibraryFile = {
    var file = LibraryFile(
      path: "/music/椎名林檎/無罪モラトリアム/丸の内サディスティック.m4a",
      tags: [
        "title": ["丸の内サディスティック"], "artist": ["椎名林檎"], "artistsort": ["Sheena, Ringo"],
        "album": ["無罪モラトリアム"], "albumartist": ["椎名林檎"], "date": ["1999-02-24"], "genre": ["J-Pop 🎵"],
        "track": ["3"],
      ], findings: sound(bpm: 120, key: MusicalKey(pitchClass: 0, mode: .major), loudness: -8, seed: 6))
    file.format = AudioFormat(
      container: "mp4", codec: "aac", sampleRate: 44_100, channelCount: 2, bitRate: 256_000, isLossless: false,
      claimedFrameCount: 10_407_600, frameCount: 10_407_600)
    return dated(file, 22)
  }()

  static let single = dated(
    LibraryFile(
      path: "/music/root.flac", tags: ["title": ["Loose"], "artist": ["Björk"], "genre": ["House"], "date": ["1999"]]),
    23)

  static let gone = dated(
    mp3("/music/gone.mp3", ["title": ["Gone"], "artist": ["Björk"], "album": ["Homogenic"]]), 24)

  // MARK: Helpers

  private static func mp3(_ path: FilePath, _ tags: [String: [String]]) -> LibraryFile {
    var file = LibraryFile(path: path, tags: tags)
    file.format = AudioFormat(
      container: "mp3", codec: "mp3", sampleRate: 44_100, channelCount: 2, bitRate: 192_000, isLossless: false,
      claimedFrameCount: 7_938_000, frameCount: 7_938_000)
    return file
  }

  private static func dated(_ file: LibraryFile, _ number: Int64) -> LibraryFile {
    var file = file
    file.sizeBytes = 1_000_000 + 12_345 * number
    file.modified = Timestamp(nanoseconds: (1_690_000_000 + 86_400 * number) * 1_000_000_000 + number)
    return file
  }

  private static func sound(
    bpm: Double, key: MusicalKey?, loudness: Double, seed: Int
  ) -> [(analyzer: String, finding: any AnalysisFinding)] {
    let beats = (0..<9).map { 0.5 + Double($0) * 60 / bpm }
    var histogram = LoudnessHistogram()
    for step in 0..<20 { histogram.add(loudness - Double(step % 4)) }
    let name = key.map { "\($0.description)" } ?? ""
    return [
      (
        "tempo",
        TempoFinding(
          bpm: bpm, confidence: 0.3 + Double(seed) / 10, octaveConfidence: 0.5,
          candidates: [.init(bpm: bpm, weight: 0.75), .init(bpm: 2 * bpm, weight: 0.125)], isStable: seed != 5,
          map: seed == 5
            ? [.init(startSeconds: 0, bpm: bpm), .init(startSeconds: 60, bpm: bpm / 2)]
            : [.init(startSeconds: 0, bpm: bpm)],
          beats: beats, metre: seed % 2 == 1 ? "4/4" : nil,
          downbeats: seed % 2 == 1 ? stride(from: 1, to: 9, by: 4).map { beats[$0] } : nil,
          onsets: .init(stepSeconds: 50, values: [0, 0.25, 1, 0.5]))
      ),
      (
        "key",
        key.map {
          KeyFinding(
            key: $0, confidence: 0.75, candidates: [.init(key: name, probability: 0.75)],
            map: [.init(startSeconds: 0, key: name)], tuningHertz: 441.5, tuningCents: 5.89)
        } ?? KeyFinding.none(reason: "no_key")
      ),
      (
        "loudness",
        LoudnessFinding(
          integrated: loudness, range: 6.5, maxMomentary: loudness + 4, maxShortTerm: loudness + 2, samplePeak: -0.5,
          truePeak: 0.25, trackGain: -18 - loudness, trackPeak: 1.029, gatingBlocks: histogram.bytes)
      ),
      ("traits", TraitsFinding(energy: Double(seed) / 8, danceability: 0.5, speechiness: 0.125)),
      (
        "likeness",
        LikenessFinding(version: 1, descriptor: (0..<128).map { UInt8(truncatingIfNeeded: 128 + $0 * seed % 97 - 48) })
      ),
    ]
  }

  /// Fingerprints of synthetic music, eight seconds each.
  public static let fingerprints = [
    "AQAAK1KUcBmlDGFO6EHOYE-SCx-TI3dwHf-RB9_h58iDKzoO5cSD-7jCQz_C9CipqMnw-OgvwYyCdEoSwv-hfQmeHB6OPaqDUkdzXI6OxkXb48yR"
      + "PXtIdHOKP2hzNA8AgKwQghhFkQLeCaQUEsIwKwxTTAnEAAJAMCUE0wQhggQgQFM",
    "AQAAK5kSieSUBD4uJ0euMriUcvg_wT-iH8-VCFqrBmGu4ZHwKMeD_kTzANfxPDnyLA_0nOgDQzub4M-QR_jxa8eVXEg4Hzm-w-SHW0R5w3oePDwu"
      + "I3zw9IF-CWeD5koLSxBBAiihhFXCKGOFAAASAQwRBClioEHMCMKMMUQjJYlQgigiFJEE",
  ]
}
