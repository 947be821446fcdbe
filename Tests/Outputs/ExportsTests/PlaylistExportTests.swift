import Analysis
import AnalysisTesting
import Exports
import Foundation
import Platform
import Records
import SystemPackage
import Testing
import Text

/// Exports for players.
@Suite(.bounded) struct PlaylistExportTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func m3u8() throws {
    #expect(
      try exported("m3u8", [track("/music/One.flac")], options: ["paths": "absolute"], in: folder)
        == "#EXTM3U\n# Made by Nocturne\n#EXTINF:60,Ä / B - One & <two>\n/music/One.flac\n")
    let inside = folder.path.appending("One.flac")
    #expect(try exported("m3u8", [track(inside)], in: folder).hasSuffix("\nOne.flac\n"))
    // A program that prints the list must not affect its terminal.
    let escape = try exported("m3u8", [track("/music/\u{1B}[31m.flac")], options: ["paths": "absolute"], in: folder)
    #expect(escape.hasSuffix("\nfile:///music/%1B%5B31m.flac\n"), "\(escape)")
  }

  @Test func stickers() throws {
    let records =
      [track("/music/a/\"1\" \\.flac"), track("/elsewhere/x.flac"), track("/music/a\nb.flac")]
      + ["\u{1B}[2J", "\u{7F}", "\u{9B}31m"].map { track(FilePath("/music/\($0).flac")) }
    let text = try exported("mpd", records, options: ["music": "/music/"], in: folder)
    #expect(
      text == """
        sticker set song "a/\\"1\\" \\\\.flac" tempo_bpm "120.00"
        sticker set song "a/\\"1\\" \\\\.flac" tempo_confidence "0.80"
        close

        """)
  }

  @Test func smartPlaylist() throws {
    var context = ExportContext(output: folder.path.appending("x.nsp"), program: "", trackCount: 0)
    context.filter = nil
    #expect(throws: ExportError.self) { try NavidromeExport().begin(context) }
  }
}

/// Annotations for research.
@Suite(.bounded) struct AnnotationExportTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func export(
    _ name: String, _ records: [FileRecord], removals: [FilePath] = [], options: [String: String] = [:],
    to output: FilePath? = nil
  ) throws {
    var writer = try ExportFormats.named(name)!.begin(
      ExportContext(output: output ?? folder.path, program: "Nocturne 1.2.3", trackCount: 9, options: options))
    for record in records { try writer.append(record) }
    for removal in removals { try writer.remove(ExportRemoval(path: removal)) }
    _ = try writer.finish()
  }

  private var files: [String] {
    (FileManager.default.enumerator(atPath: folder.path.string)?.allObjects as? [String] ?? [])
      .filter { !FileManager.default.isFolder(folder.path.appending($0).string) }.sorted()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path.appending(name).string, encoding: .utf8)
  }

  @Test func labels() throws {
    try export("lab", [track()], options: ["root": "/music"])
    #expect(files == ["a/.nocturne-files", "a/One.flac.beats.lab", "a/One.flac.tempo.lab"])
    #expect(try text("a/One.flac.beats.lab").hasPrefix("0.5000\n1.0000\n"))
    #expect(try text("a/One.flac.tempo.lab") == "60.00\t120.00\t0.250\n")
  }

  @Test func whatIsGoneGoes() throws {
    try export("lab", [track(), track("/music/b.flac")], options: ["root": "/music"])
    // One track has lost its tempo, the other is gone.
    try export("lab", [track(bpm: nil)], removals: ["/music/b.flac"], options: ["root": "/music"])
    #expect(files == [])
  }

  /// The name of an old folder may be in another encoding.
  @Test func aFolderWhoseNameIsNotUTF8IsFilled() throws {
    let odd = folder.path.pushing(FilePath(bytes: [0xE9, 0xFF]))
    try export("lab", [track()], options: ["root": "/music"], to: odd)
    #expect(try FolderListing.names(in: folder.path) == [odd.lastComponent])
    #expect(try FolderListing.names(in: odd) == ["a"])
    let names = try FolderListing.names(in: odd.appending("a")).map(\.string)
    #expect(names == [".nocturne-files", "One.flac.beats.lab", "One.flac.tempo.lab"])
  }

  @Test func namesAreSafe() throws {
    let long = String(repeating: "ä", count: 125)
    let names = ["a:b?.flac", "50%.flac", "\(long)1", "\(long)2", "-rf", "x\ny"]
    let odd = FilePath(bytes: Array("/music/".utf8) + [0xE9, 0xFF])
    try export("jams", names.map { track(FilePath("/music/\($0)")) } + [track(odd)], options: ["root": "/music"])
    let files = files.filter { $0 != ".nocturne-files" }
    #expect(files.count == names.count + 1)
    #expect(files.allSatisfy { $0.utf8.count <= 255 })
    #expect(
      Set(["a%3Ab%3F.flac.jams", "50%25.flac.jams", "%E9%FF.jams", "x%0Ay.jams", "-rf.jams"]).isSubset(of: files))
  }

  @Test func jams() throws {
    var record = track()
    record.findings[KeyFinding.self] = KeyFinding(
      key: MusicalKey(pitchClass: 1, mode: .major), confidence: 0.7, candidates: [],
      map: [.init(startSeconds: 0, key: "Db major"), .init(startSeconds: 40, key: "A minor")])
    try export("jams", [record], options: ["root": "/music"])
    let json = try JSONValue(parsing: Array(text("a/One.flac.jams").utf8))
    guard case .object(let fields) = json, case .array(let annotations)? = fields["annotations"] else {
      Issue.record("no annotations")
      return
    }
    let namespaces = annotations.compactMap { if case .object(let fields) = $0 { fields["namespace"] } else { nil } }
    #expect(namespaces == ["beat", "tempo", "key_mode"])
    guard case .object(let keys) = annotations[2], case .array(let data)? = keys["data"] else { return }
    let expected: [JSONValue] = [
      ["time": 0.0, "duration": 40.0, "value": "Db:major", "confidence": 0.7],
      ["time": 40.0, "duration": 20.0, "value": "A:minor", "confidence": .null],
    ]
    #expect(data == expected)
  }
}

extension FileManager {
  fileprivate func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
