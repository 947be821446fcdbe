import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// Time zone, language, number of jobs and order of paths change no byte of the results, except for times of the run.
@Suite(.bounded) struct SurroundingsTests {
  /// Titles and names that languages sort, lower and write differently.
  private static let words = [
    "İstanbul", "ISTANBUL", "istanbul", "ısparta", "Isparta", "Öl", "Ol", "öl", "äpfel", "Zebra", "STRASSE", "Straße",
    "1,5", "1.5", "Chat", "Czas", "٣", "3",
  ]
  private static let zones = [
    "UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/St_Johns", "Asia/Kolkata", "Europe/Berlin", "XYZ-14",
  ]
  private static let languages = ["C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8", "th_TH.UTF-8"]

  @Test func resultsDoNotDependOnThem() throws {
    var random = SplitMix64.fresh("surroundings")
    let place = try Workplace()
    let files = try fill(place, &random)
    let expected = try outputs(of: place, files, "UTC", "C", jobs: 1)
    for (jobs, isShuffled) in [(1, true), (2, false), (4, false), (4, true)] {
      let zone = Self.zones.randomElement(using: &random) ?? ""
      let language = Self.languages.randomElement(using: &random) ?? ""
      let order = isShuffled ? files.shuffled(using: &random) : files
      let found = try outputs(of: place, order, zone, language, jobs: jobs)
      for (name, text) in expected {
        // Tracks that rank alike are listed in the order in which they were first seen.
        let isSearch = isShuffled && name.hasPrefix("search")
        let isSame = isSearch ? sortedLines(found[name] ?? "") == sortedLines(text) : found[name] == text
        #expect(isSame, "\(name) with \(jobs) jobs, \(zone), \(language): \(difference(found[name] ?? "", text))")
      }
    }
  }

  /// Music, noise with unlike titles, copies, and damaged files, all of one age.
  private func fill(_ place: Workplace, _ random: inout SplitMix64) throws -> [FilePath] {
    let titles = Self.words.shuffled(using: &random).prefix(8)
    var files: [(name: String, bytes: [UInt8])] = titles.enumerated().map { number, title in
      let folder = Self.words.randomElement(using: &random) ?? ""
      return ("\(folder)/\(number) \(title).wav", Audio.wav(UInt64(number % 6), title: title))
    }
    files.append(("cut.wav", Array(Audio.wav(7).prefix(20_000))))
    files.append(("junk.mp3", Audio.junk))
    for name in ["hell.ogg", "rocker-ronni.mp3"] {
      files.append((name, try Array(Data(contentsOf: Repository.url().appending(path: "Fixtures/music/\(name)")))))
    }
    return try files.map { try place.put($0.bytes, as: $0.name, modified: 1_500_000_000) }
  }

  /// Reports, exports and the output of commands, by name.
  private func outputs(
    of place: Workplace, _ files: [FilePath], _ zone: String, _ language: String, jobs: Int
  ) throws -> [String: String] {
    let environment = ["TZ": zone, "LANG": language, "LC_ALL": language]
    for path in [place.reports] + ["", "-wal", "-shm"].map({ FilePath(place.database.string + $0) }) {
      try? FileManager.default.removeItem(atPath: path.string)
    }
    let reports = ["json", "ndjson", "csv"]
    let run = try place.start(
      files.map { Argument($0) } + place.runArguments(pipeline: "default")
        + reports.flatMap { ["--report", Argument(stringLiteral: $0)] } + ["--jobs", "\(jobs)"],
      environment: environment
    ).end()
    #expect(run.status == 3, "\(run.errors)")
    var outputs: [String: String] = [:]
    for report in reports {
      let path = place.reports.appending("report.\(report)").string
      outputs["report.\(report)"] = withoutTimes(try String(contentsOfFile: path, encoding: .utf8))
    }
    let song = Argument(place.library.appending("hell.ogg"))
    let commands: [[Argument]] = [
      ["show", song], ["search", "--sort", "title", "--limit", "100"], ["search", "istanbul"],
      ["search", "--where", "bpm>1.5"], ["similar", song], ["playlist", "--where", "bpm>0"], ["broken"],
      ["duplicates", "--json"], ["export", "rekordbox"], ["export", "traktor"], ["export", "m3u8"],
      ["export", "checksums"],
    ]
    for command in commands {
      let outcome = try place.start(
        command + ["--database", Argument(place.database)], environment: environment
      ).end()
      let words = command.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: " ")
      outputs[words] = "\(outcome.status)\n" + withoutTimes(outcome.text + outcome.errors)
    }
    return outputs
  }

  private func sortedLines(_ text: String) -> [Substring] { text.split(separator: "\n").sorted() }

  /// The run's paths are as they were given, and its times differ. The files are older.
  private func withoutTimes(_ text: String) -> String {
    text.replacing(/20[2-9]\d-\d\d-\d\dT[\d:.]+Z/, with: "")
      .replacing(/"roots":\[[^\]]*\]/, with: "")
      .replacing(/(finished|made) [^<]*</, with: "")
      .replacing(/of music in [^<]*</, with: "")
      .replacing(/"run_name":"[^"]*"/, with: "")
  }

  /// The first lines that differ, from a little before the place.
  private func difference(_ found: String, _ expected: String) -> String {
    let common = zip(found, expected).prefix { $0 == $1 }.count
    let start = max(0, common - 60)
    return "\(found.dropFirst(start).prefix(160)) instead of \(expected.dropFirst(start).prefix(160))"
  }
}
