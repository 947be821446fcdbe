import Analysis
import AnalysisTesting
import Exports
import Foundation
import FoundationXML
import Library
import Platform
import Records
import SystemPackage
import Testing

/// Data for DJ programs. Checks/test_dj_exports.py has it read by other programs.
@Suite(.bounded) struct DJExportTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func document(_ name: String, _ records: [FileRecord], _ options: [String: String] = [:]) throws
    -> XMLDocument
  {
    try XMLDocument(xmlString: exported(name, records, options: options, in: folder))
  }

  private func attribute(_ path: String, _ document: XMLDocument) throws -> String? {
    try document.nodes(forXPath: path).first?.stringValue
  }

  @Test func rekordbox() throws {
    var sharp = track("/music/é%/\"1\".flac")
    sharp.findings[KeyFinding.self] = KeyFinding(
      key: MusicalKey(pitchClass: 6, mode: .minor), confidence: 0.9, candidates: [], map: [])
    let xml = try document("rekordbox", [sharp, track(bpm: nil)])
    #expect(try attribute("//COLLECTION/@Entries", xml) == "2")
    #expect(try attribute("//TRACK[1]/@Name", xml) == "One & <two>")
    #expect(try attribute("//TRACK[1]/@Artist", xml) == "Ä / B")
    #expect(try attribute("//TRACK[1]/@Year", xml) == "1999")
    #expect(try attribute("//TRACK[1]/@Tonality", xml) == "F#m")
    #expect(try attribute("//TRACK[1]/@Location", xml) == "file://localhost/music/%C3%A9%25/%221%22.flac")
    #expect(try attribute("//TRACK[1]/TEMPO/@Inizio", xml) == "0.500")
    #expect(try attribute("//TRACK[1]/TEMPO/@Bpm", xml) == "120.00")
    // Bars are unknown.
    #expect(try attribute("//TRACK[1]/TEMPO/@Battito", xml) == nil)
    #expect(try xml.nodes(forXPath: "//COLLECTION/TRACK[2]/*").isEmpty)
    #expect(try attribute("//COLLECTION/TRACK[2]/@AverageBpm", xml) == nil)
  }

  @Test func firstDownbeatIsMarked() throws {
    var record = track()
    let beats = record.tempo?.beats ?? []
    record.tempo?.metre = "4/4"
    record.tempo?.downbeats = stride(from: 2, to: 100, by: 4).map { beats[$0] }
    let xml = try document("rekordbox", [record])
    #expect(try attribute("//TEMPO/@Battito", xml) == "3")
    let nml = try document("traktor", [record])
    #expect(try attribute("//CUE_V2[@TYPE='4']/@START", nml) == "1500.000000")
  }

  @Test func unsureTempiAreListed() throws {
    var record = track()
    record.tempo?.confidence = 0.2
    let xml = try document("rekordbox", [track("/a.flac"), record])
    #expect(try attribute("//PLAYLISTS//NODE[@Type='1']/TRACK/@Key", xml) == "2")
  }

  @Test func correctionsCount() throws {
    var record = track()
    record.tempoCorrection = TempoCorrection(bpm: 60, grid: nil, corrected: .now, found: record.tempo)
    record.tempo = record.tempoCorrection?.finding
    #expect(try attribute("//TRACK/TEMPO/@Bpm", document("rekordbox", [record])) == "60.00")
    record.tempoCorrection = TempoCorrection(bpm: nil, grid: nil, corrected: .now, found: record.tempo)
    record.tempo = record.tempoCorrection?.finding
    #expect(try document("rekordbox", [record]).nodes(forXPath: "//TEMPO").isEmpty)
  }

  @Test func otherComputers() throws {
    let options = ["from": "/music/", "to": "D:\\Music"]
    let xml = try document("rekordbox", [track(), track("/musical.flac")], options)
    #expect(try attribute("//TRACK[1]/@Location", xml) == "file://localhost/D:/Music/a/One.flac")
    #expect(try attribute("//TRACK[2]/@Location", xml) == "file://localhost/musical.flac")
    let nml = try document("traktor", [track()], options)
    #expect(try attribute("//LOCATION/@VOLUME", nml) == "D:")
    #expect(try attribute("//LOCATION/@DIR", nml) == "/:Music/:a/:")
    #expect(try attribute("//LOCATION/@FILE", nml) == "One.flac")
    let mac = try document("traktor", [track()], ["from": "/music", "to": "/Volumes/USB"])
    #expect(try attribute("//LOCATION/@VOLUME", mac) == "USB")
    #expect(try attribute("//LOCATION/@DIR", mac) == "/:a/:")
  }

  @Test func traktor() throws {
    var record = track()
    record.findings[LoudnessFinding.self] = LoudnessFinding(integrated: -9.5, samplePeak: -0.25)
    record.findings[KeyFinding.self] = KeyFinding(
      key: MusicalKey(pitchClass: 4, mode: .minor), confidence: 0.9, candidates: [], map: [])
    // XML cannot represent names that are not UTF-8.
    let nml = try document("traktor", [record, track(FilePath(bytes: Array("/music/".utf8) + [0xFF]))])
    #expect(try attribute("//COLLECTION/@ENTRIES", nml) == "1")
    #expect(try attribute("//TEMPO/@BPM_QUALITY", nml) == "80.000000")
    #expect(try attribute("//LOUDNESS/@PERCEIVED_DB", nml) == "-4.500000")
    #expect(try attribute("//LOUDNESS/@PEAK_DB", nml) == "-0.250000")
    #expect(try attribute("//MUSICAL_KEY/@VALUE", nml) == "16")
    #expect(try document("traktor", [record], ["loudness": "none"]).nodes(forXPath: "//LOUDNESS").isEmpty)
  }

  @Test(arguments: [
    ("rekordbox", ["loudness": "-14"]), ("rekordbox", ["from": "/music"]),
    ("rekordbox", ["from": "music", "to": "/x"]),
    ("traktor", ["loudness": "loud"]), ("mixxx", [:]), ("mixxx", ["database": "/nowhere/mixxxdb.sqlite"]),
    ("mpd", [:]), ("mpd", ["music": "relative"]), ("m3u8", ["paths": "odd"]),
  ])
  func badOptions(name: String, options: [String: String]) {
    #expect(throws: ExportError.self) { try exported(name, [], options: options, in: folder) }
    #expect((try? FileManager.default.contentsOfDirectory(atPath: folder.path.string)) == [])
  }
}
