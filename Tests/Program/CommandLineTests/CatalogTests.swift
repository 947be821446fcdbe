import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing
import Text

/// The recognition catalog: operations that change it, and those that must not.
@Suite(.bounded) struct CatalogTests {
  private static func titles(_ place: Workplace) throws -> [String] {
    try place.catalog("list").lines.map { String($0.split(separator: " ", omittingEmptySubsequences: true)[2]) }
      .sorted()
  }

  @Test func buildingAgainFollowsTheLibrary() throws {
    let place = try Workplace()
    let run = try place.analyzeTracks()
    #expect(try place.catalog("build", "library/a.wav", "library/b.wav", "--verbose").errors.contains("2 added"))
    #expect(try Self.titles(place) == ["First", "Second"])
    #expect(try place.catalog("build", "--verbose").errors.contains("1 added, 0 updated, 0 removed, 2 unchanged"))
    #expect(try place.catalog("build", "--verbose").errors.contains("0 added, 0 updated, 0 removed, 3 unchanged"))

    // With other tags, copied, gone, and taken out by hand.
    try place.put(Tracks.file(0, title: "New"), as: "a.wav", modified: 2_000_000)
    try place.put(Tracks.file(0, title: "Copy"), as: "copy.wav")
    try place.remove("b.wav")
    _ = try place.analyzeSignatures()
    #expect(try place.catalog("remove", "library/c.wav").status == 0)
    let again = try place.catalog("build", "--verbose")
    #expect(
      again.errors.contains("0 added, 1 updated, 1 removed, 0 unchanged, 1 left as changed by hand"), "\(again.errors)")
    #expect(try Self.titles(place) == ["New"])
    #expect(try place.catalog("list").text.hasPrefix(run.file("a.wav")["id"].textValue))

    // Tracks that were taken out come back by hand only; those in the database are not decoded for it.
    #expect(try place.catalog("add", "library/c.wav").status == 0)
    #expect(try Self.titles(place) == ["New", "Third"])
    #expect(try place.catalog("build", "--verbose").errors.contains("0 added, 0 updated, 0 removed, 2 unchanged"))
    let info = try JSONValue(parsing: place.catalog("info", "--json", "--check").output)
    #expect(info["tracks"] == 2)
    #expect(abs(info["duration_s"].numberValue - 48) < 0.5)
  }

  @Test func anInterruptedBuildGoesOn() throws {
    let place = try Workplace()
    let run = try place.analyzeTracks()
    // The rest of a build that was killed while it was adding the first track.
    #expect(try place.catalog("build", "library/b.wav").status == 0)
    let folder = place.folder.file("catalog")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
    let list = folder.appending(try #require(names.first { $0.hasSuffix(".build") }))
    let text = try String(contentsOfFile: list.string, encoding: .utf8)
    try place.write(text + "\(run.file("a.wav")["id"].textValue) -\n", to: list)
    try place.write("half", to: folder.appending("2.segment.new-1"))
    #expect(try place.catalog("build", "--verbose").errors.contains("2 added, 0 updated, 0 removed, 1 unchanged"))
    #expect(try Self.titles(place) == ["First", "Second", "Third"])
    #expect(try place.catalog("info", "--check").status == 0)
  }

  @Test func filesMediaItemsAndWholeCatalogsGoInAndOut() throws {
    let place = try Workplace()
    for number in 0..<3 { try place.put(Tracks.file(number, title: "T\(number)"), as: "\(number).wav") }
    // Without a database files are decoded. As in tables for ShazamKit there is no column reference.
    try place.write(
      "Title,artist,ISRC,mood\r\n\"A, B\",Somebody,XX0000000001,calm\r\n", to: place.folder.file("one.csv"))
    #expect(try place.catalog("add", "library/0.wav", "--items", "one.csv").status == 0)
    #expect(try place.catalog("add", "library/1.wav").status == 0)
    let table = try place.catalog("list", "--csv").text
    #expect(table.contains("\"A, B\",,Somebody,,XX0000000001"))
    #expect(table.contains(",calm"))

    // Edited in a spreadsheet and read back; a mistake in it changes nothing.
    try place.write(
      table.replacing("Somebody", with: "Else").replacing("T1", with: "U1"), to: place.folder.file("all.csv"))
    #expect(try place.catalog("add", "--items", "all.csv").status == 0)
    #expect(try Set(place.catalog("list").lines.map { $0.split(separator: "  ").last }) == ["Else – A, B", "U1"])
    for (mistake, hint) in [("reference,title\nnobody,x", "nobody"), ("reference,timeRanges\nx,soon", "line 2")] {
      try place.write(mistake, to: place.folder.file("bad.csv"))
      let outcome = try place.catalog("add", "--items", "bad.csv")
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains(hint), "\(outcome.errors)")
    }

    #expect(try place.catalog("export", "out/whole.catalog").status == 1)
    #expect(try place.catalog("export", "whole.catalog").status == 0)
    #expect(try place.catalog("export", "library/0.wav").errors.contains("is not a catalog"))
    #expect(try place.catalog("export", "table.csv", "--csv").status == 0)
    #expect(
      try String(contentsOfFile: place.folder.file("table.csv").string, encoding: .utf8)
        == place.catalog("list", "--csv").text)
    let match = try place.start(["match", "library/1.wav", "--catalog", "whole.catalog"]).end()
    #expect(match.text.contains("U1"))

    // Into another catalog, whose entries are replaced.
    let other: [Argument] = ["--catalog", "other"]
    #expect(try place.start(["catalog", "add", "library/1.wav", "library/2.wav"] + other).end().status == 0)
    #expect(try place.start(["catalog", "merge", "whole.catalog"] + other).end().status == 0)
    let merged = try place.start(["catalog", "list"] + other).end()
    #expect(Set(merged.lines.map { $0.split(separator: "  ").last }) == ["Else – A, B", "U1", "T2"])
    // An exported file is not changed in place, and foreign files are not mixed with a catalog.
    #expect(try place.start(["catalog", "add", "library/2.wav", "--catalog", "whole.catalog"]).end().status == 1)
    let strange = try place.start(["catalog", "add", "library/2.wav", "--catalog", "library"]).end()
    #expect(strange.errors.contains("something other than a catalog"))

    #expect(try place.catalog("remove", "library/9.wav").errors.contains("Nothing was removed"))
    try place.put(WAVFile(.silence(sampleRate: 8000, seconds: 5)).bytes, as: "silence.wav")
    let partly = try place.catalog("add", "library/none.wav", "library/silence.wav", "library/2.wav")
    #expect(partly.status == 3)
    #expect(partly.errors.contains("none.wav: "))
    #expect(partly.errors.contains("silence.wav: It is silent"))
    #expect(try place.catalog("list").lines.count == 3)
    #expect(try place.catalog("remove", "library/2.wav", "library/1.wav").status == 0)
    #expect(try place.catalog("list").lines.count == 1)
  }

  @Test func damageIsNamed() throws {
    let place = try Workplace()
    try place.put(Tracks.file(0, title: "T"), as: "a.wav")
    #expect(try place.catalog("add", "library/a.wav").status == 0)
    #expect(try place.catalog("export", "whole.catalog").status == 0)
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: place.folder.file("whole.catalog").string)))
    try place.write(Array(bytes.dropLast(10)), to: place.folder.file("cut.catalog"))
    var flipped = bytes
    flipped[bytes.count - 20] ^= 1
    try place.write(flipped, to: place.folder.file("flipped.catalog"))
    for (name, hint) in [("cut.catalog", "damaged"), ("library/a.wav", "is not a recognition catalog")] {
      let outcome = try place.start(["match", "library/a.wav", "--catalog", "\(name)"]).end()
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains(hint), "\(outcome.errors)")
    }
    for arguments: [Argument] in [["info", "--check", "--catalog"], ["merge", "--catalog", "new"]] {
      let outcome = try place.start(["catalog"] + arguments + ["flipped.catalog"]).end()
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("damaged"), "\(outcome.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: place.folder.file("new").string))
  }

  /// Each file of the catalog lost, cut off and overwritten: `match` says what to do, and that is what helps.
  @Test(arguments: ["CATALOG", "1.segment", "2.segment", "list"], ["lost", "cut", "overwritten"])
  func whatIsDamagedIsBuiltAgain(name: String, damage: String) throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build", "library/a.wav", "library/b.wav").status == 0)
    #expect(try place.catalog("build").status == 0)
    #expect(try place.catalog("build", "--verbose").errors.contains("0 added, 0 updated, 0 removed, 3 unchanged"))
    let folder = place.folder.file("catalog")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
    let file = folder.appending(name == "list" ? try #require(names.first { $0.hasSuffix(".build") }) : name)
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: file.string)))
    switch damage {
    case "lost": try FileManager.default.removeItem(atPath: file.string)
    case "cut": try place.write(Array(bytes.prefix(bytes.count / 2)), to: file)
    default: try place.write(bytes.map { $0 ^ 0x55 }, to: file)
    }
    if name != "list" {
      let match = try place.match("library/a.wav")
      #expect(match.status == (name == "CATALOG" ? 1 : 3))
      #expect(match.errors.contains("damaged") && match.errors.contains("analyze catalog build"), "\(match.errors)")
    }
    let build = try place.catalog("build")
    #expect(build.status == 0, "\(build.errors)")
    #expect(build.errors.contains(name == "list" ? ".build" : name) || damage == "lost", "\(build.errors)")
    #expect(
      build.errors.contains("rebuilt") || build.errors.contains("again from the database")
        || build.errors.contains("now count as built"), "\(build.errors)")
    #expect(try Self.titles(place) == ["First", "Second", "Third"])
    #expect(try place.catalog("info", "--check").status == 0)
    for (track, title) in [("a", "First"), ("c", "Third")] {
      #expect(try place.match("library/\(track).wav").text.contains(title))
    }
    // Everything works as before: changes of the library are followed again.
    let next = try place.catalog("build", "--verbose")
    #expect(next.errors.hasSuffix("0 added, 0 updated, 0 removed, 3 unchanged\n"), "\(next.errors)")
    try place.remove("c.wav")
    _ = try place.analyzeSignatures()
    #expect(try place.catalog("build", "--verbose").errors.contains("1 removed, 2 unchanged"))
  }

  // MARK: - Parts

  /// `catalog build` into a folder.
  private static func build(_ place: Workplace, _ folder: String, _ part: String?) throws -> Outcome {
    let partition: [Argument] = part.map { ["--partition", "\($0)"] } ?? []
    return try place.start(
      ["catalog", "build", "--verbose", "--catalog", "\(folder)", "--database", Argument(place.database)] + partition
    ).end()
  }

  private static func list(_ place: Workplace, _ folder: String) throws -> [String] {
    try place.start(["catalog", "list", "--catalog", "\(folder)"]).end().lines.sorted()
  }

  private static func info(_ place: Workplace, _ folder: String) throws -> JSONValue {
    try JSONValue(parsing: place.start(["catalog", "info", "--json", "--catalog", "\(folder)"]).end().output)
  }

  @Test func partsAreWhatOneBuildMakes() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try Self.build(place, "whole", nil).status == 0)
    let parts = (0..<5).map { (folder: "part-\($0)", part: "\($0)/5") }
    for (folder, part) in parts {
      let build = try Self.build(place, folder, part)
      #expect(build.status == 0, "\(build.errors)")
      #expect(build.errors.contains(", part \(part): "), "\(build.errors)")
    }
    #expect(try parts.flatMap { try Self.list(place, $0.folder) }.sorted() == Self.list(place, "whole"))
    // Three tracks leave some parts empty.
    let filled = try parts.filter { try !Self.list(place, $0.folder).isEmpty }
    try #require(filled.count > 1)
    for (folder, part) in filled {
      #expect(try Self.info(place, folder)["partition"] == .string(part))
      #expect(try place.start(["catalog", "info", "--catalog", "\(folder)"]).end().lines[1] == "  part       \(part)")
    }
    // Searched together, including empty ones, the parts equal the whole.
    func match(_ folders: [String]) throws -> Outcome {
      try place.start(["match", "--json", "library/a.wav"] + folders.flatMap { ["--catalog", "\($0)"] }).end()
    }
    let whole = try match(["whole"])
    #expect(whole.status == 0 && !whole.output.isEmpty, "\(whole.errors)")
    #expect(try match(parts.map(\.folder)).output == whole.output)
    let empty = parts.map(\.folder).filter { folder in !filled.contains { $0.folder == folder } }
    let nothing = try match(empty)
    #expect(nothing.status == 1 && nothing.errors.contains("is empty"), "\(nothing.errors)")
    #expect(try Self.info(place, "whole")["partition"] == .null)
    #expect(try !place.start(["catalog", "info", "--catalog", "whole"]).end().text.contains("  part "))

    // A copy goes to its track, and merged parts are one catalog.
    try place.put(Tracks.file(0, title: "Copy"), as: "d.wav")
    _ = try place.analyzeSignatures()
    for (folder, part) in parts {
      let again = try Self.build(place, folder, part)
      #expect(again.errors.contains(": 0 added, 0 updated, 0 removed,"), "\(again.errors)")
    }
    let merge = try place.start(
      ["catalog", "merge"] + filled.map { "\($0.folder)" } + ["--catalog", "merged"]
    ).end()
    #expect(merge.status == 0, "\(merge.errors)")
    #expect(try Self.build(place, "merged", nil).errors.contains("0 added, 0 updated, 0 removed, 3 unchanged"))
    #expect(try Self.list(place, "merged") == Self.list(place, "whole"))
    #expect(try Self.info(place, "merged")["partition"] == .null)
  }

  @Test func aPartRemainsThatPart() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try Self.build(place, "whole", nil).status == 0)
    #expect(try Self.build(place, "first", "0/2").status == 0)
    let refusals: [(folder: String, part: String?, hint: String)] = [
      ("first", nil, "is part 0/2 and can only be built as that: add --partition 0/2"),
      ("first", "1/2", "is part 0/2 and can only be built as that: add --partition 0/2"),
      ("first", "0/4", "is part 0/2 and can only be built as that: add --partition 0/2"),
      ("whole", "0/2", "was built as a whole and cannot become a part: leave out --partition"),
    ]
    func checkRefusals() throws {
      for (folder, part, hint) in refusals {
        let before = try Self.info(place, folder)
        let build = try Self.build(place, folder, part)
        #expect(build.status == 1)
        #expect(build.errors.contains(hint) && build.errors.contains("Nothing was changed."), "\(build.errors)")
        #expect(try Self.info(place, folder) == before)
      }
    }
    try checkRefusals()
    // Even if the list of what was built is damaged.
    for folder in ["first", "whole"] {
      let folder = place.folder.file(folder)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.string).filter { $0.hasSuffix(".build") }
      try #require(names.count == 1)
      try place.write("damaged", to: folder.appending(names[0]))
    }
    try checkRefusals()
    #expect(try Self.build(place, "first", "0/2").errors.contains("was damaged and was rebuilt"))
    #expect(try Self.build(place, "first", "0/2").errors.contains(", 0 removed, "))

    // A folder without such a list may hold another part.
    #expect(try place.start(["catalog", "merge", "whole", "--catalog", "merged"]).end().status == 0)
    let before = try Self.list(place, "merged")
    let build = try Self.build(place, "merged", "1/2")
    #expect(build.status == 1)
    #expect(build.errors.contains("holds tracks that do not belong to part 1/2"), "\(build.errors)")
    #expect(try Self.list(place, "merged") == before)
  }

  @Test(arguments: ["4/4", "5/4", "x", "1/0", "-1/4", "1/2/3"]) func whatIsNoPartIsWrongUsage(text: String) throws {
    let place = try Workplace()
    let outcome = try place.start(["catalog", "build", "--catalog", "new", "--partition=\(text)"]).end()
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("K/N") && outcome.errors.contains("'\(text)'"), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: place.folder.file("new").string))
  }

  // MARK: - Merging, locks

  @Test func mergingTheSameAgainChangesNothing() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build").status == 0)
    #expect(try place.catalog("export", "whole.catalog").status == 0)
    func size() throws -> Int {
      try Int(JSONValue(parsing: place.catalog("info", "--json").output)["size_bytes"].numberValue)
    }
    #expect(try place.catalog("remove", "library/b.wav").status == 0)
    #expect(try place.catalog("merge", "whole.catalog").status == 0)
    let before = try size()
    for _ in 0..<2 { #expect(try place.catalog("merge", "whole.catalog").status == 0) }
    #expect(try size() == before)
    #expect(try Self.titles(place) == ["First", "Second", "Third"])
    // The second track alone, and no table of all lists with it.
    #expect(before < 250_000)
  }

  @Test func thereIsOneWriterAtATime() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build", "library/a.wav").status == 0)
    let lock = try FileDescriptor.open(place.folder.file("catalog/UPDATE.lock"), .readWrite)
    defer { try? lock.close() }
    #expect(flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0)
    let outcome = try place.catalog("build")
    #expect(outcome.status == 11)
    #expect(outcome.errors.contains("another program"))
    // Readers are not affected.
    #expect(try Self.titles(place) == ["First"])
  }
}
