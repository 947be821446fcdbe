import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// `analyze playlist`.
@Suite(.bounded) struct PlaylistCommandTests {
  private func library() throws -> Workplace {
    let place = try Workplace()
    try place.put(WAVFile(.chords(seed: 1, sampleRate: 22_050, seconds: 20)).bytes, as: "chords.wav")
    try place.put(WAVFile(.chords(seed: 1, sampleRate: 22_050, seconds: 20)).bytes, as: "copies/chords.wav")
    try place.put(WAVFile(.chords(seed: 2, sampleRate: 22_050, seconds: 22)).bytes, as: "others.wav")
    try place.put(WAVFile(.clickTrack(bpm: 120, sampleRate: 22_050, seconds: 20)).bytes, as: "clicks.wav")
    try place.put(WAVFile(.noise(seed: 1, sampleRate: 22_050, seconds: 20)).bytes, as: "noise.wav")
    #expect(try place.run(pipeline: "default").status == 0)
    return place
  }

  private func playlist(_ place: Workplace, _ arguments: Argument...) throws -> Outcome {
    try place.start(["playlist", "--database", Argument(place.database)] + arguments).end()
  }

  private func names(_ playlist: JSONValue) -> [String] {
    playlist["tracks"].elements.map { URL(filePath: $0["path"].textValue).lastPathComponent }
  }

  @Test func tracksByFilter() throws {
    let place = try library()
    let all = try playlist(place, "--codec", "pcm_s16", "--order", "path")
    #expect(all.status == 0 && all.errors == "", "\(all.errors)")
    let paths = all.lines.filter { !$0.hasPrefix("#") }
    // One of the two copies.
    let expected = ["chords.wav", "clicks.wav", "noise.wav", "others.wav"]
    #expect(all.lines.first == "#EXTM3U" && paths == expected.map { "\(place.library)/\($0)" }, "\(all.text)")
    #expect(all.lines.contains { $0.hasPrefix("#EXTINF:20,") })

    let json = try playlist(place, "--duration", "21..30", "--json")
    #expect(try json.status == 0 && names(JSONValue(parsing: json.output)) == ["others.wav"])
    let schema = try place.analyze("schema", "playlist")
    let validator = try SchemaValidator(schema.text)
    #expect(try validator.complaints(about: JSONSerialization.jsonObject(with: Data(json.output))) == [])
  }

  @Test func tracksByLikeness() throws {
    let place = try library()
    let answer = try JSONValue(
      parsing: playlist(place, "--like", "library/chords.wav", "--tracks", "2", "--json").output)
    #expect(names(answer).first == "others.wav" && answer["tracks"].elements.count == 2)
    #expect(answer["tracks"].elements[0]["likeness"].numberValue > 0)
    let narrow = try playlist(place, "--like", "library/chords.wav", "--duration", "19..20.5", "--json")
    #expect(try Set(names(JSONValue(parsing: narrow.output))) == ["clicks.wav", "noise.wav"])
  }

  @Test func files() throws {
    let place = try library()
    try place.makeFolder(place.folder.file("lists"))
    let written = try playlist(place, "--duration", "21..30", "--output", "lists/a.m3u8")
    #expect(written.status == 0 && written.text == "" && written.errors == "")
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: place.folder.file(name).string, encoding: .utf8)
    }
    #expect(try text("lists/a.m3u8") == "#EXTM3U\n# Made by Nocturne\n#EXTINF:22,others\n../library/others.wav\n")
    let absolute = try playlist(place, "--duration", "21..30", "--output", "lists/a.m3u8", "--absolute")
    #expect(absolute.status == 0)
    #expect(try text("lists/a.m3u8").hasSuffix("\n\(place.library)/others.wav\n"))
    // A smart playlist needs no database.
    let smart = try place.analyze("playlist", "--genre", "trance", "--tracks", "9", "--output", "lists/Evening.nsp")
    #expect(smart.status == 0, "\(smart.errors)")
    let rules = try JSONValue(parsing: Array(text("lists/Evening.nsp").utf8))
    #expect(rules["name"] == "Evening" && rules["limit"] == 9)
  }

  @Test func whatMakesNoPlaylist() throws {
    let place = try library()
    let nothing = try playlist(place, "--genre", "polka")
    #expect(nothing.status == 1 && nothing.errors.contains("No analyzed track matches") && nothing.text == "")
    let key = try playlist(place, "--key", "8A", "--format", "nsp")
    #expect(key.status == 1 && key.errors.contains("key:8A"))
    for arguments: [Argument] in [
      [], ["--genre", "x", "--order", "speed"], ["--genre", "x", "--tracks", "0"],
      ["--genre", "x", "--length", "soon"],
      ["--genre", "x", "--length", "0"], ["--genre", "x", "--tracks", "2", "--length", "1h"], ["--where", "bpm:fast"],
      ["--genre", "x", "--relative"], ["--genre", "x", "--no-repeat-artist", "-1"],
      ["--genre", "x", "--format", "pls"],
    ] {
      let wrong = try place.start(["playlist"] + arguments).end()
      #expect(wrong.status == 64 && wrong.text == "", "\(arguments.map { String(decoding: $0.bytes, as: UTF8.self) })")
    }
    // Unavoidable repeats are reported.
    let library = try playlist(place, "--like", "library/missing.wav")
    #expect(library.status == 1 && library.errors.contains("is not in the database"))
  }
}
