import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing
import Text

extension Workplace {
  /// A catalog with one file of the library.
  fileprivate func smallCatalog(_ file: String) throws -> Argument {
    let folder = Argument(self.folder.file("catalog-\(file.prefix(1))"))
    let build = try analyze(
      "catalog", "build", "library/\(file)", "--catalog", folder, "--database", Argument(database))
    #expect(build.status == 0, "\(build.errors)")
    return folder
  }

  /// Serves a catalog.
  fileprivate func serve(_ options: Argument...) throws -> (program: RunningProgram, address: String) {
    let program = try start(["serve", "--database", Argument(database), "--port", "0"] + options)
    #expect(waitUntil { program.errors.contains("http://") }, "\(program.errors)")
    let address = try #require(program.errors.firstMatch(of: /http:\/\/[0-9.]+:[0-9]+/)).output
    return (program, String(address))
  }
}

/// `match`, `listen` and `serve` over several catalogs, some of other servers.
@Suite(.bounded, .serialized) struct SharedCatalogTests {
  private static func tracks(_ outcome: Outcome) throws -> [JSONValue] {
    try outcome.lines.map { try JSONValue(parsing: Array($0.utf8))["tracks"] }
  }

  /// Clips of the three tracks, one of them noisy, and one clip of no track.
  private static func writeClips(_ place: Workplace) throws -> [Argument] {
    for (number, name) in ["1.wav", "2.wav", "3.wav"].enumerated() {
      let clip = Tracks.cut(Tracks.signals[number], from: 8, seconds: 8)
      try place.write(WAVFile(number == 1 ? Tracks.noisy(clip) : clip).bytes, to: place.folder.file(name))
    }
    try place.write(Audio.wav(5), to: place.folder.file("4.wav"))
    return ["1.wav", "2.wav", "3.wav", "4.wav"]
  }

  @Test func partsAnswerAsOneCatalog() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build").status == 0)
    let clips = try Self.writeClips(place)
    let (a, b, c) = (
      try place.smallCatalog("a.wav"), try place.smallCatalog("b.wav"), try place.smallCatalog("c.wav")
    )
    let server = try place.serve("--catalog", b)
    let expected = try place.start(["match", "--json"] + clips + ["--catalog", place.catalogFolder]).end()
    let together = try place.start(
      ["match", "--json"] + clips + ["--catalog", a, "--catalog", "\(server.address)/", "--catalog", c]
    ).end()
    #expect(together.status == 0 && together.errors == "", "\(together.errors)")
    #expect(try Self.tracks(together) == Self.tracks(expected))
    #expect(try Self.tracks(expected).map { $0 == .null } == [false, false, false, true])
    try Tracks.checkSchema("match", together)

    // Servers from the settings, and no local catalog.
    let settings = ["ANALYZE_CATALOG_SERVERS": server.address]
    let remote = try place.analyze("match", "2.wav", "--json", environment: settings)
    #expect(remote.status == 0, "\(remote.errors)")
    #expect(try Self.tracks(remote) == [Self.tracks(expected)[1]])
    let doctor = try place.analyze("doctor", "--database", Argument(place.database), environment: settings)
    #expect(doctor.text.contains("ok     catalog of \(server.address)\n"), "\(doctor.text)\(doctor.errors)")
    // Live audio.
    let pcm = Tracks.pcm(Tracks.cut(Tracks.signals[1], from: 4, seconds: 14)).flatMap { Tracks.bytes($0) }
    let heard = try place.start(
      ["listen", "--json", "--rate", "\(Tracks.sampleRate)", "--channels", "1"], environment: settings, input: pcm
    ).end()
    #expect(heard.status == 0 && heard.text.contains("\"title\":\"Second\""), "\(heard.text)\(heard.errors)")
    server.program.send(SIGTERM)
    _ = server.program.end()
  }

  @Test func whatIsDownMakesTheAnswerPartial() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    let clips = try Self.writeClips(place)
    let (a, b) = (try place.smallCatalog("a.wav"), try place.smallCatalog("b.wav"))
    let server = try place.serve("--catalog", b)
    server.program.send(SIGTERM)
    _ = server.program.end()
    let match = try place.start(
      ["match", "--json"] + clips + ["--catalog", a, "--catalog", Argument("\(server.address)")]
    ).end()
    #expect(match.status == 3)
    #expect(match.errors.contains("\(server.address) does not answer: no connection (Connection refused)"))
    let records = try match.lines.map { try JSONValue(parsing: Array($0.utf8)) }
    #expect(records.count == 4 && records.allSatisfy { $0["partial"] == true })
    #expect(records[0]["tracks"].elements.first?["title"] == "First")
    #expect(records[1]["missing_catalogs"].elements.first?["catalog"].textValue == server.address)
    try Tracks.checkSchema("match", match)
    // No catalog is asked about a clip that is too short.
    try place.write(WAVFile(Tracks.cut(Tracks.signals[0], from: 8, seconds: 1)).bytes, to: place.folder.file("s.wav"))
    let short = try place.start(
      ["match", "1.wav", "s.wav", "2.wav", "--catalog", a, "--catalog", Argument("\(server.address)")]
    ).end()
    #expect(short.status == 3 && short.errors.contains("s.wav"))
    #expect(!short.errors.contains("answers again"), "\(short.errors)")
    #expect(short.errors.components(separatedBy: "does not answer").count == 2, "\(short.errors)")
    let doctor = try place.analyze(
      "doctor", "--database", Argument(place.database), environment: ["ANALYZE_CATALOG_SERVERS": server.address])
    #expect(doctor.status == 1 && doctor.text.contains("WRONG  the catalog of \(server.address) does not answer"))
    let text = try place.start(["match", "2.wav", "--catalog", a, "--catalog", Argument("\(server.address)")]).end()
    #expect(text.text.hasSuffix("nothing recognized, but a catalog did not answer\n"), "\(text.text)")
  }

  /// A lost or damaged segment, or a damaged catalog beside others, is missing like a server that is down.
  @Test(arguments: ["lost", "cut", "overwritten", "pipe"]) func theRestOfADamagedCatalogAnswers(damage: String) throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    _ = try Self.writeClips(place)
    for name in ["a", "b"] { #expect(try place.catalog("build", "library/\(name).wav").status == 0) }
    let file = place.folder.file("catalog/2.segment")
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: file.string)))
    try FileManager.default.removeItem(atPath: file.string)
    switch damage {
    case "lost": break
    case "cut": try place.write(Array(bytes.prefix(bytes.count / 2)), to: file)
    case "overwritten": try place.write(bytes.map { $0 ^ 0x55 }, to: file)
    default: #expect(mkfifo(file.string, 0o600) == 0)
    }
    let match = try place.start(["match", "--json", "1.wav", "2.wav", "--catalog", place.catalogFolder]).end()
    #expect(match.status == 3 && match.errors.contains("2.segment"), "\(match.errors)")
    #expect(match.errors.contains("analyze catalog build"))
    let records = try match.lines.map { try JSONValue(parsing: Array($0.utf8)) }
    #expect(records.map { $0["partial"] } == [true, true])
    #expect(records[0]["tracks"].elements.first?["title"] == "First")
    #expect(records[1]["missing_catalogs"].elements.first?["catalog"].textValue == file.string)
    try Tracks.checkSchema("match", match)

    // A server says so, too, and a server that asks this one.
    let server = try place.serve("--catalog", place.catalogFolder)
    let remote = try place.start(["match", "--json", "1.wav", "--catalog", Argument("\(server.address)")]).end()
    #expect(remote.status == 3 && remote.errors.contains("2.segment"), "\(remote.errors)")
    #expect(remote.text.contains("First"))
    server.program.send(SIGTERM)
    _ = server.program.end()
  }

  @Test func recognitionNeedsNoDatabase() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    _ = try Self.writeClips(place)
    let catalog = try place.smallCatalog("b.wav")
    let program = try place.start(["serve", "--port", "0", "--catalog", catalog])
    #expect(waitUntil { program.errors.contains("http://") }, "\(program.errors)")
    #expect(program.errors.contains("There is no database"), "\(program.errors)")
    let address = try #require(program.errors.firstMatch(of: /http:\/\/[0-9.]+:[0-9]+/)).output
    let match = try place.start(["match", "--json", "2.wav", "--catalog", Argument("\(address)")]).end()
    #expect(match.status == 0 && match.text.contains("Second"), "\(match.errors)")
    program.send(SIGTERM)
    _ = program.end()
    // A database that was named must exist.
    let named = try place.start(["serve", "--port", "0", "--catalog", catalog, "--database", "none.sqlite"]).end()
    #expect(named.status == 1 && named.errors.contains("none.sqlite"), "\(named.errors)")
  }

  @Test func tokensStayOutOfSight() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    _ = try Self.writeClips(place)
    let secret = "0123456789abcdefghijklmnop"
    let tokens = place.folder.file("served-tokens")
    try place.write("other-server \(secret)\n", to: tokens)
    chmod(tokens.string, 0o600)
    let server = try place.serve("--catalog", place.smallCatalog("b.wav"), "--token-file", Argument(tokens))
    let without = try place.analyze("match", "2.wav", "--catalog", "\(server.address)")
    #expect(without.status == 3 && without.errors.contains("it rejects the token"), "\(without.errors)")
    let file = place.folder.file("tokens")
    try place.write("# of other servers\n\n\(server.address) \(secret)\n", to: file)
    let environment = ["ANALYZE_CATALOG_TOKENS": file.string]
    let with = try place.analyze("match", "2.wav", "--catalog", "\(server.address)", environment: environment)
    #expect(with.status == 0 && with.text.contains("Second"), "\(with.errors)")
    try place.write("\(secret)\n", to: file)
    let bad = try place.analyze("match", "2.wav", "--catalog", "\(server.address)", environment: environment)
    #expect(bad.status == 1 && bad.errors.contains("line 1"), "\(bad.errors)")
    for outcome in [without, with, bad] { #expect(!outcome.errors.contains(secret) && !outcome.text.contains(secret)) }
    server.program.send(SIGTERM)
    _ = server.program.end()
  }

  @Test(arguments: [
    ("https://host:8642", "https to other servers is not supported"), ("http://me:secret@host", "catalog_tokens"),
    ("http://host:0", "http://host:port"), ("ftp://host", "http://host:port"),
  ])
  func otherAddressesAreRefused(address: String, reason: String) throws {
    let place = try Workplace()
    let outcome = try place.analyze("match", "1.wav", "--catalog", "\(address)")
    #expect(outcome.status == 64 && outcome.errors.contains(reason), "\(outcome.errors)")
    #expect(!outcome.errors.contains("secret"))
  }

  /// A server queries another, and returns the other's data about a recording.
  @Test func serversAskEachOther() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    _ = try Self.writeClips(place)
    let back = try place.serve("--catalog", place.smallCatalog("b.wav"))
    let front = try place.serve("--catalog", place.smallCatalog("a.wav"), "--catalog", "\(back.address)")
    func match() throws -> JSONValue {
      let answer = try RunningProgram(
        ["-sS", "--data-binary", "@2.wav", "-H", "Content-Type: audio/wav", "\(front.address)/v1/match"],
        of: "/usr/bin/curl", environment: [:], workingFolder: place.folder.path
      ).end()
      return try JSONValue(parsing: answer.output)
    }
    let whole = try match()
    #expect(whole["result"] == "match" && whole["partial"] == false, "\(whole)")
    #expect(whole["tracks"].elements.first?["title"] == "Second")
    back.program.send(SIGTERM)
    _ = back.program.end()
    let partial = try match()
    #expect(partial["result"] == "no-match" && partial["partial"] == true, "\(partial)")
    #expect(partial["missing_catalogs"].elements.first?["catalog"].textValue == back.address)
    front.program.send(SIGTERM)
    _ = front.program.end()
  }
}
