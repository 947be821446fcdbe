internal import Analysis
internal import Foundation
internal import Platform
internal import Records
internal import SystemPackage

/// The content of the first screen: the last run's new tracks, failures and their causes, and changes.
final class PageNews {
  private static let listedRuns = 60
  /// Reasons for skipping a file that are not news. Covers and texts, for example, are common in music folders.
  private static let unlistedReasons: Set = [
    "not_audio", "unknown_kind", "hidden", "system_junk", "ignored", "fifo", "socket", "device", "pseudo_file_system",
    "link_not_followed", "other_file_system",
  ]

  let showsVanished: Bool
  private let run: RunRecord?
  private let generated: Timestamp
  private let source: PageInput
  /// The first run after the last finished run before the current one. Files found since then are new.
  private let newSince: Int64
  /// `true` if no earlier run has finished, so that there is nothing to compare with.
  private let isFirstRun: Bool

  /// Number of tracks, healthy or damaged.
  private var tracks = 0
  private var failed = 0
  /// Duration of all tracks, in seconds.
  private var trackSeconds = 0.0
  private var newlyDamaged = 0
  private var newlyFailed = 0
  private var updated = 0
  private var vanished = 0
  private var corrected = 0
  private var analyzedSeconds = 0.0
  private var causes = PageCauses()
  private var newFolders = NewFolders()
  /// The change in the number of tracks, by run.
  private var growth: [Int64: Int] = [:]

  init(run: RunRecord?, generated: Timestamp, source: PageInput) {
    self.run = run
    self.generated = generated
    self.source = source
    showsVanished = source.showsVanished
    let earlier = run.map { run in source.runs.filter { $0.id < run.id } } ?? []
    let lastWhole = earlier.last { $0.state == .finished }
    isFirstRun = run != nil && lastWhole == nil
    newSince = earlier.first { $0.id > lastWhole?.id ?? .min }?.id ?? run?.id ?? .max
  }

  // MARK: Counting

  /// Returns whether a file was skipped for a reason that is not news.
  static func isUnlisted(_ record: FileRecord) -> Bool {
    record.status == .skipped && unlistedReasons.contains(record.problem?.code ?? "")
  }

  /// Counts the history of any file, even a vanished one.
  func countHistory(_ record: FileRecord) {
    guard let runs = record.runs, record.status == .ok || record.status == .partial else { return }
    growth[runs.firstSeen, default: 0] += 1
    if let gone = runs.vanished { growth[gone, default: 0] -= 1 }
    if record.isVanished, let run, runs.vanished == run.id { vanished += 1 }
  }

  /// Returns whether the track was first seen after the last complete run and analyzed in the current run.
  func isNew(_ record: FileRecord) -> Bool {
    guard !isFirstRun, !record.isVanished, record.status == .ok || record.status == .partial, let run,
      let runs = record.runs, runs.firstSeen >= newSince
    else {
      return false
    }
    return runs.analyzed == run.id || runs.analyzed == nil && runs.firstSeen == run.id
  }

  func count(_ record: FileRecord, status: TrackColumns.Status, row: Int) {
    let seconds = record.format?.duration.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } ?? 0
    let isNew = isNew(record)
    let isOfThisRun = run != nil && record.runs?.analyzed == run?.id && !record.isVanished
    if isOfThisRun, status != .failed { analyzedSeconds += seconds }
    switch status {
    case .healthy, .damaged:
      tracks += 1
      trackSeconds += seconds
      if isNew {
        newFolders.count(record, row: row, seconds)
      } else if isOfThisRun, !isFirstRun {
        updated += 1
      }
      if let correction = record.tempoCorrection, let since = lastEnd, correction.corrected > since { corrected += 1 }
    case .failed: failed += 1
    case .notAnalyzed: break
    }
    if status == .damaged || status == .failed { countProblem(of: record, status) }
    if status == .healthy || status == .damaged { causes.countTempo(of: record) }
  }

  private func countProblem(of record: FileRecord, _ status: TrackColumns.Status) {
    guard let problem = record.problem, !Problem.movingTargets.contains(problem.code) else { return }
    let isNews = run != nil && record.runs?.firstFailed == run?.id
    if isNews {
      if status == .failed { newlyFailed += 1 } else { newlyDamaged += 1 }
    }
    causes.count(record, problem, isFailure: status == .failed, isNews: isNews)
  }

  /// The end of the previous run, or its start if the end is unknown.
  private var lastEnd: Timestamp? {
    guard let run else { return nil }
    return source.runs.last { $0.id < run.id }.map { $0.finished ?? $0.started }
  }

  // MARK: The first screen

  /// - Parameter root: The folder to which the names of folders are relative, with a trailing slash.
  func report(below root: String) -> MorningReport {
    let made = LocalTime(generated, in: source.timeZone)
    return MorningReport(
      title: title, when: when, sentence: sentence, subtitle: subtitle.isEmpty ? nil : subtitle,
      causes: causes.causes(of: run, isFirstRun: isFirstRun), canHaveNew: run != nil && !isFirstRun,
      newFolders: newFolders.folders(below: root), otherFolderCount: newFolders.restCount, newCount: newTracks,
      day: made.longDate,
      footer: [source.program, run.map { "pipeline \($0.pipeline)" }, "made \(made.longDate) at \(made.clock)"]
        .compactMap(\.self).joined(separator: " · "))
  }

  private var attention: Int { causes.fileCount }
  private var newTracks: Int { newFolders.trackCount }
  /// Number of folders that were missing, empty or not completely readable in the run.
  private var lostRoots: Int { run?.roots.count { $0.condition != .scanned } ?? 0 }

  /// Texts such as `1 folder not found` or `2 folders without audio`.
  private var lostRootTexts: [String] {
    let states: [(RunRecord.Root.Condition, String)] = [
      (.missing, "not found"), (.empty, "without audio"), (.unreadable, "not read to the end"),
    ]
    return states.compactMap { condition, words in
      let count = run?.roots.count { $0.condition == condition } ?? 0
      return count > 0 ? "\(PageFormatter.counted(count, "folder")) \(words)" : nil
    }
  }

  private var title: String {
    func needing(_ count: Int, _ noun: String) -> String {
      "\(PageFormatter.counted(count, noun)) need\(count == 1 ? "s" : "") attention"
    }
    if attention > 0 { return needing(attention, "file") }
    if lostRoots > 0 { return needing(lostRoots, "folder") }
    if tracks == 0 { return "No tracks yet" }
    if isFirstRun { return "First run: \(PageFormatter.counted(tracks, "track"))" }
    return newTracks > 0 ? PageFormatter.counted(newTracks, "new track") : "All fine"
  }

  private var when: String {
    guard let run else { return "No run yet" }
    var parts = ["Run \(run.id)"]
    if let finished = run.finished {
      let time = LocalTime(finished, in: source.timeZone)
      parts.append(
        "\(run.state == .finished ? "finished" : "stopped") \(time.dayOfWeek), \(time.monthAndDay) at \(time.clock)")
    } else {
      let time = LocalTime(run.started, in: source.timeZone)
      parts.append("started \(time.dayOfWeek), \(time.monthAndDay) at \(time.clock)")
    }
    if let root = run.roots.first {
      let others = run.roots.count - 1
      parts.append(DisplayPath.text(of: root.path) + (others > 0 ? " and \(others) more" : ""))
    }
    return parts.joined(separator: " · ")
  }

  /// The name of the run within a sentence: `last night`, `on November 3`.
  var runName: String {
    guard let run else { return "in the last run" }
    let end = LocalTime(run.finished ?? run.started, in: source.timeZone)
    let now = LocalTime(generated, in: source.timeZone)
    let begin = LocalTime(run.started, in: source.timeZone)
    if end.date == now.date {
      if end.hour < 10 { return begin.date != end.date || begin.hour < 6 ? "last night" : "this morning" }
      return "today"
    }
    let yesterday = LocalTime(Timestamp(nanoseconds: generated.nanoseconds - 86_400_000_000_000), in: source.timeZone)
    guard end.date == yesterday.date else { return "on \(end.monthAndDay)" }
    return end.hour >= 20 ? "last night" : "yesterday"
  }

  private var runNameAsTitle: String { runName.prefix(1).uppercased() + runName.dropFirst() }

  /// The headline in parts, some of which link to a section.
  private var sentence: [MorningReport.Part] {
    guard let run else {
      return tracks == 0
        ? [part("No tracks yet.")]
        : [part("\(PageFormatter.counted(tracks, "track")), \(PageFormatter.span(trackSeconds)) of music.")]
    }
    switch run.state {
    case .running: return [part("A run is under way. So far: \(PageFormatter.counted(tracks, "track")).")]
    case .interrupted, .died, .failed:
      let seen = run.totals.seen
      let progress =
        seen > 0 && run.pending > 0
        ? ": \(PageFormatter.number(seen)) of \(PageFormatter.counted(seen + run.pending, "file")) done" : ""
      return [
        part("\(possessiveRunName) run stopped early\(progress)."),
        part(run.state == .failed ? " Finished work is stored; the next run continues." : " The next run continues."),
      ]
    case .finished: break
    }
    let broken = brokenParts
    if isFirstRun {
      guard tracks > 0 || !broken.isEmpty else { return [part("First run: no music was found.")] }
      return joined(
        "First run: ", [part("\(PageFormatter.counted(tracks, "track")) analyzed", link: "tracks")] + broken,
        effort + ".")
    }
    var news: [MorningReport.Part] = []
    if newTracks > 0 { news.append(part("\(PageFormatter.number(newTracks)) new", link: "new")) }
    if updated > 0 { news.append(part("\(PageFormatter.number(updated)) updated")) }
    if vanished > 0 { news.append(part("\(PageFormatter.number(vanished)) gone")) }
    news += broken
    if news.isEmpty {
      let state =
        attention == 0 ? "all fine" : "\(PageFormatter.number(attention)) still with problems"
      return joined(
        "\(runNameAsTitle): nothing new. ",
        [part("\(PageFormatter.counted(tracks, "track"))"), part(state, link: attention == 0 ? nil : "attention")],
        ".")
    }
    return joined("\(runNameAsTitle): ", news, effort + ".")
  }

  /// Damage and failures that no earlier run has reported, and lost folders.
  private var brokenParts: [MorningReport.Part] {
    func bad(_ text: String) -> MorningReport.Part { part(text, link: "attention", isBad: true) }
    var parts: [MorningReport.Part] = []
    if newlyDamaged > 0 { parts.append(bad("\(PageFormatter.number(newlyDamaged)) damaged")) }
    if newlyFailed > 0 { parts.append(bad("\(PageFormatter.number(newlyFailed)) failed")) }
    return parts + lostRootTexts.map(bad)
  }

  /// A text such as ` — 49 min of music in 27 s`.
  private var effort: String {
    guard let run, let finished = run.finished, analyzedSeconds > 0 else { return "" }
    let seconds = (Double(finished.nanoseconds) - Double(run.started.nanoseconds)) / 1e9
    return " — \(PageFormatter.span(analyzedSeconds)) of music in \(PageFormatter.elapsed(seconds))"
  }

  /// The possessive form for “run stopped early”: `Last night’s`, `November 3’s`.
  private var possessiveRunName: String {
    if runName.hasPrefix("on ") { return runName.dropFirst(3) + "’s" }
    return runNameAsTitle + "’s"
  }

  private func part(_ text: String, link: String? = nil, isBad: Bool = false) -> MorningReport.Part {
    MorningReport.Part(text: text, isBad: isBad, link: link)
  }

  private func joined(_ start: String, _ parts: [MorningReport.Part], _ end: String) -> [MorningReport.Part] {
    var all = [part(start)]
    for (index, next) in parts.enumerated() {
      if index > 0 { all.append(part(", ")) }
      all.append(next)
    }
    return all + [part(end)]
  }

  /// Other facts that people should know before the details.
  private var subtitle: String {
    var sentences: [String] = []
    if let run, run.state != .finished {
      let counts = [(newTracks, "new"), (newlyDamaged, "damaged"), (newlyFailed, "failed")].filter { $0.0 > 0 }
      if !counts.isEmpty {
        sentences.append("So far: \(counts.map { "\(PageFormatter.number($0.0)) \($0.1)" }.joined(separator: ", ")).")
      }
    }
    if updated > 0 { sentences.append(updateSentence) }
    if vanished > 0 {
      sentences.append(
        "\(PageFormatter.counted(vanished, "file")) \(vanished == 1 ? "is" : "are") gone; known results are kept.")
    }
    if corrected > 0 {
      sentences.append("You corrected the tempo of \(PageFormatter.counted(corrected, "track")).")
    }
    let unchanged = tracks - newTracks - updated
    if run != nil, !isFirstRun, newTracks + updated > 0, unchanged > 0 {
      sentences.append(
        unchanged == 1
          ? "The other track is unchanged." : "The other \(PageFormatter.counted(unchanged, "track")) are unchanged.")
    }
    if tracks == 0 {
      sentences.append("To analyze music, run: analyze run FOLDER")
    } else {
      let music = "\(PageFormatter.counted(tracks, "track")), \(PageFormatter.span(trackSeconds)) of music"
      let rest = failed > 0 ? ", and \(PageFormatter.counted(failed, "file")) that failed" : ""
      sentences.append("Your library holds \(music)\(rest).")
    }
    return sentences.joined(separator: " ")
  }

  /// A sentence about files that were analyzed again. Reasons are not stored, but the digests of the runs show whether
  /// settings changed.
  private var updateSentence: String {
    let subject = "\(PageFormatter.counted(updated, "track")) \(updated == 1 ? "was" : "were") analyzed again"
    let before = run.flatMap { run in source.runs.last { $0.id < run.id } }
    if let run, let before, before.configurationDigest != run.configurationDigest {
      return "\(subject), because the analyzers or their settings changed."
    }
    return updated == 1 ? "\(subject): its file or its tags changed." : "\(subject): the files or their tags changed."
  }

  // MARK: Data

  /// Returns the content of the element `library`.
  func library(_ columns: TrackColumns) -> [UInt8] {
    var json = ScriptJSON()
    json.beginObject()
    json.key("format")
    json.integer(1)
    json.key("first_run")
    json.bool(isFirstRun || run == nil)
    json.key("run_name")
    json.string(runName)
    json.key("runs")
    json.beginArray()
    for (day, tracks) in points {
      json.beginArray()
      json.string(day)
      json.integer(tracks)
      json.endArray()
    }
    json.endArray()
    json.key("problems")
    json.beginArray()
    for (code, isFailure) in columns.problems {
      let words = ProblemWords(code: code)
      json.beginObject()
      json.key("code")
      json.string(code)
      json.key("name")
      json.string(words.name)
      json.key("failed")
      json.bool(isFailure)
      json.key("what")
      json.string(words.sentence)
      json.key("do")
      json.string(words.advice())
      json.endObject()
    }
    json.endArray()
    json.endObject()
    return json.takeBytes()
  }

  /// The days on which the last 60 runs ended, and the number of tracks that the library had then.
  private var points: [(day: String, tracks: Int)] {
    var tracks = 0
    // Growth not yet counted. Growth from runs that are not on record is left out.
    var known = growth
    let points = source.runs.map { run in
      tracks += known.removeValue(forKey: run.id) ?? 0
      return (LocalTime(run.finished ?? run.started, in: source.timeZone).date, tracks)
    }
    return Array(points.suffix(Self.listedRuns))
  }
}
