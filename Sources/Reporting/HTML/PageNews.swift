internal import Analysis
internal import Foundation
internal import Records
internal import System
internal import SystemPackage

/// What the first screen says: what is new since the last run, what broke and why, and what changed.
final class PageNews {
  private static let listedFiles = 20
  private static let listedFolders = 8
  private static let listedPrints = 24
  private static let listedRuns = 60
  private static let listedArtists = 3

  let showsVanished: Bool
  private let run: RunRecord?
  private let generated: Timestamp
  private let source: PageSource
  /// The first run since the last one that did all it could: what has been found since then is new.
  private let newSince: Int64
  /// There is no earlier run to compare with.
  private let isFirstRun: Bool

  private var healthy = 0
  private var damaged = 0
  private var failed = 0
  private var notAnalyzed = 0
  private var healthySeconds = 0.0
  private var newTracks = 0
  private var newSeconds = 0.0
  private var newlyDamaged = 0
  private var newlyFailed = 0
  private var updated = 0
  private var vanished = 0
  private var corrected = 0
  private var analyzedSeconds = 0.0
  private var causes: [CauseKey: Cause] = [:]
  private var unsure = UnsureTempos()
  private var newFolders: [String: NewFolder] = [:]
  /// Tracks that appeared and went, by run.
  private var growth: [Int64: Int] = [:]

  init(run: RunRecord?, generated: Timestamp, source: PageSource) {
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

  /// Of any file, also of one that is gone.
  func countHistory(_ record: FileRecord) {
    guard let runs = record.runs, record.status == .ok || record.status == .partial else { return }
    growth[runs.firstSeen, default: 0] += 1
    if let gone = runs.vanished { growth[gone, default: 0] -= 1 }
    if record.isVanished, let run, runs.vanished == run.id { vanished += 1 }
  }

  /// First met since the last run, and looked at in this one.
  func isNew(_ record: FileRecord) -> Bool {
    guard !isFirstRun, !record.isVanished, let run, let runs = record.runs, runs.firstSeen >= newSince else {
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
      if status == .healthy {
        healthy += 1
        healthySeconds += seconds
      } else {
        damaged += 1
      }
      if isNew {
        countNew(record, row: row, seconds)
      } else if isOfThisRun, !isFirstRun {
        updated += 1
      }
      if let correction = record.tempoCorrection, let since = lastEnd, correction.corrected > since { corrected += 1 }
    case .failed: failed += 1
    case .notAnalyzed: notAnalyzed += 1
    }
    if status == .damaged || status == .failed { countProblem(of: record, status) }
    if status == .healthy || status == .damaged, record.tempoCorrection == nil, let tempo = record.tempo,
      let bpm = tempo.bpm, bpm.isFinite, tempo.confidence < UnsureTempo.limit
    {
      unsure.count(record.path, bpm: bpm, confidence: tempo.confidence)
    }
  }

  private func countNew(_ record: FileRecord, row: Int, _ seconds: Double) {
    newTracks += 1
    newSeconds += seconds
    let folder = DisplayPath.text(of: record.path.removingLastComponent())
    newFolders[folder, default: NewFolder()].count(record, row: row, seconds)
  }

  private func countProblem(of record: FileRecord, _ status: TrackColumns.Status) {
    guard let problem = record.problem, !Problem.movingTargets.contains(problem.code) else { return }
    let isNews = run != nil && record.runs?.firstFailed == run?.id
    if isNews {
      if status == .failed { newlyFailed += 1 } else { newlyDamaged += 1 }
    }
    let key = CauseKey(isFailure: status == .failed, code: problem.code)
    causes[key, default: Cause()].count(record, problem, isNews: isNews, limit: Self.listedFiles)
  }

  /// When the run before this one ended.
  private var lastEnd: Timestamp? {
    guard let run else { return nil }
    return source.runs.last { $0.id < run.id }.map { $0.finished ?? $0.started }
  }

  // MARK: The first screen

  /// The values of the template.
  func markup(_ columns: TrackColumns) -> [String: Any] {
    let made = LocalTime(generated, in: source.timeZone)
    let causes = markupOfCauses
    let folders = markupOfFolders(columns)
    let hasNew = run != nil && !isFirstRun
    var values: [String: Any] = [
      "title": "\(title) · Nocturne, \(made.longDate)", "when": when, "sentence": sentence, "all_fine": causes.isEmpty,
      "causes": causes, "has_new": hasNew, "nothing_new": newTracks == 0, "new_folders": folders,
      "two_columns": !causes.isEmpty && hasNew && !folders.isEmpty,
      "footer": [source.program, run.map { "pipeline \($0.pipeline)" }, "made \(made.longDate) at \(made.clock)"]
        .compactMap(\.self).joined(separator: " · "),
    ]
    if !subtitle.isEmpty { values["sub"] = subtitle }
    let otherFolders = newFolders.count - folders.count
    if otherFolders > 0 { values["new_rest"] = "And \(PageWords.counted(otherFolders, "more folder"))." }
    if newTracks > 1 { values["new_all"] = "Show all \(PageWords.number(newTracks)) in the table" }
    return values
  }

  private var attention: Int { causes.values.reduce(0) { $0 + $1.total } }
  private var tracks: Int { healthy + damaged }

  private var title: String {
    if isFirstRun, tracks > 0, attention == 0 { return "First run: \(PageWords.counted(tracks, "track"))" }
    if attention > 0 { return "\(PageWords.counted(attention, "file")) need\(attention == 1 ? "s" : "") attention" }
    if newTracks > 0 { return PageWords.counted(newTracks, "new track") }
    return tracks == 0 ? "No tracks yet" : "All fine"
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

  /// How the run is called within a sentence: `last night`, `on November 3`.
  var runName: String {
    guard let run else { return "in the last run" }
    let end = LocalTime(run.finished ?? run.started, in: source.timeZone)
    let now = LocalTime(generated, in: source.timeZone)
    let begin = LocalTime(run.started, in: source.timeZone)
    if end.date == now.date {
      if end.hour < 10 { return begin.date != end.date || begin.hour < 6 ? "last night" : "this morning" }
      return "today"
    }
    let isRecent = generated.seconds - (run.finished ?? run.started).seconds < 86_400
    return isRecent && end.hour >= 20 ? "last night" : isRecent ? "yesterday" : "on \(end.monthAndDay)"
  }

  private var runNameAsTitle: String { runName.prefix(1).uppercased() + runName.dropFirst() }

  /// The headline in parts, some of which lead to a section.
  private var sentence: [[String: Any]] {
    guard let run else {
      return tracks == 0
        ? [part("No tracks yet.")]
        : [part("\(PageWords.counted(tracks, "track")), \(PageWords.span(healthySeconds)) of music.")]
    }
    switch run.state {
    case .running: return [part("A run is under way. So far: \(PageWords.counted(tracks, "track")).")]
    case .interrupted, .died, .failed:
      let seen = run.totals.seen
      let progress =
        seen > 0 && run.pending > 0
        ? ": \(PageWords.number(seen)) of \(PageWords.counted(seen + run.pending, "file")) done" : ""
      return [
        part("\(possessiveRunName) run stopped early\(progress)."),
        part(run.state == .failed ? " What was done is stored; the next run continues." : " The next run continues."),
      ]
    case .finished: break
    }
    let broken = brokenParts
    if isFirstRun {
      guard tracks > 0 || !broken.isEmpty else { return [part("First run: no music was found.")] }
      return joined(
        "First run: ", [part("\(PageWords.counted(tracks, "track")) analyzed", link: "tracks")] + broken, effort + ".")
    }
    var news: [[String: Any]] = []
    if newTracks > 0 { news.append(part("\(PageWords.number(newTracks)) new", link: "new")) }
    if updated > 0 { news.append(part("\(PageWords.number(updated)) updated")) }
    if vanished > 0 { news.append(part("\(PageWords.number(vanished)) gone")) }
    news += broken
    if news.isEmpty {
      let state =
        attention == 0 ? "all fine" : "\(PageWords.number(attention)) still with problems"
      return joined(
        "\(runNameAsTitle): nothing new. ", [part("\(PageWords.counted(tracks, "track"))"), part(state, link: attention == 0 ? nil : "attention")],
        ".")
    }
    return joined("\(runNameAsTitle): ", news, effort + ".")
  }

  /// Damage and failures that no earlier run has told of.
  private var brokenParts: [[String: Any]] {
    var parts: [[String: Any]] = []
    if newlyDamaged > 0 { parts.append(part("\(PageWords.number(newlyDamaged)) damaged", link: "attention", isBad: true)) }
    if newlyFailed > 0 { parts.append(part("\(PageWords.number(newlyFailed)) failed", link: "attention", isBad: true)) }
    return parts
  }

  /// ` — 49 min of music in 27 s`
  private var effort: String {
    guard let run, let finished = run.finished, analyzedSeconds > 0 else { return "" }
    let seconds = Double(finished.nanoseconds - run.started.nanoseconds) / 1e9
    return " — \(PageWords.span(analyzedSeconds)) of music in \(PageWords.elapsed(seconds))"
  }

  /// `Last night’s`, `The run of November 3`: before “run stopped early”.
  private var possessiveRunName: String {
    if runName.hasPrefix("on ") { return runName.dropFirst(3) + "’s" }
    return runNameAsTitle + "’s"
  }

  private func part(_ text: String, link: String? = nil, isBad: Bool = false) -> [String: Any] {
    var part: [String: Any] = ["text": text, "bad": isBad]
    if let link { part["link"] = link }
    return part
  }

  private func joined(_ start: String, _ parts: [[String: Any]], _ end: String) -> [[String: Any]] {
    var all = [part(start)]
    for (index, next) in parts.enumerated() {
      if index > 0 { all.append(part(", ")) }
      all.append(next)
    }
    return all + [part(end)]
  }

  /// What else a person wants to know before the details.
  private var subtitle: String {
    var sentences: [String] = []
    if let run, run.state != .finished, newTracks > 0 {
      sentences.append("\(PageWords.counted(newTracks, "track")) \(newTracks == 1 ? "is" : "are") new so far.")
    }
    if updated > 0 { sentences.append(updateSentence) }
    if vanished > 0 {
      sentences.append(
        "\(PageWords.counted(vanished, "file")) \(vanished == 1 ? "is" : "are") gone; what was found is kept.")
    }
    if corrected > 0 {
      sentences.append("You corrected the tempo of \(PageWords.counted(corrected, "track")).")
    }
    let unchanged = tracks - newTracks - updated
    if run != nil, !isFirstRun, newTracks + updated > 0, unchanged > 0 {
      sentences.append(
        unchanged == 1
          ? "The other track is unchanged." : "The other \(PageWords.counted(unchanged, "track")) are unchanged.")
    }
    if tracks == 0 {
      sentences.append("To analyze music, run: analyze run FOLDER")
    } else if damaged + failed == 0 || healthy == 0 {
      sentences.append("Your library holds \(PageWords.counted(tracks, "track")), \(PageWords.span(healthySeconds)) of music.")
    } else {
      sentences.append(
        "Your library holds \(PageWords.counted(healthy, "healthy track")), \(PageWords.span(healthySeconds)) of music.")
    }
    return sentences.joined(separator: " ")
  }

  /// Why known files were analyzed again is not kept, but a change of the settings is.
  private var updateSentence: String {
    let subject = "\(PageWords.counted(updated, "track")) \(updated == 1 ? "was" : "were") analyzed again"
    let before = run.flatMap { run in source.runs.last { $0.id < run.id } }
    if let run, let before, before.configurationDigest != run.configurationDigest {
      return "\(subject), since the analyzers or their settings changed."
    }
    return updated == 1 ? "\(subject): its file or its tags changed." : "\(subject): the files or their tags changed."
  }

  // MARK: What broke

  private struct CauseKey: Hashable {
    var isFailure: Bool
    var code: String
  }

  private struct Cause {
    private(set) var total = 0
    private(set) var news = 0
    private var listedNews: [[String: Any]] = []
    private var listedOthers: [[String: Any]] = []
    /// How much of the first file could be read.
    private(set) var extent: String?

    mutating func count(_ record: FileRecord, _ problem: Problem, isNews: Bool, limit: Int) {
      let text = ProblemSentence.text(of: problem, record.format)
      if total == 0 { extent = ProblemSentence.extent(of: problem, record.format) }
      total += 1
      if isNews { news += 1 }
      guard (isNews ? listedNews : listedOthers).count < limit else { return }
      let file: [String: Any] = ["path": DisplayPath.text(of: record.path), "why": text]
      if isNews { listedNews.append(file) } else { listedOthers.append(file) }
    }

    /// Those that no earlier run has told of come first.
    func files(limit: Int) -> [[String: Any]] { Array((listedNews + listedOthers).prefix(limit)) }
  }

  private var markupOfCauses: [[String: Any]] {
    // Failures, then damage; what is news first.
    let ordered = causes.sorted { first, second in
      func rank(_ cause: (key: CauseKey, value: Cause)) -> (Int, Int, Int) {
        (cause.key.isFailure ? 0 : 1, -cause.value.news, -cause.value.total)
      }
      return rank(first) == rank(second) ? first.key.code < second.key.code : rank(first) < rank(second)
    }
    let files = ordered.map { key, cause in
      let words = ProblemWords(code: key.code)
      var advice = words.advice(count: cause.total)
      if cause.total == 1, let extent = cause.extent { advice = "\(extent) \(advice)" }
      if !isFirstRun, cause.news > 0, cause.news < cause.total {
        advice = "\(PageWords.number(cause.news)) \(cause.news == 1 ? "is" : "are") new. " + advice
      }
      return entry(
        key.isFailure ? "failed" : "damaged",
        what: words.sentence(count: cause.total, number: PageWords.number(cause.total)), advice,
        noun: "file", count: cause.total, files: cause.files(limit: Self.listedFiles), show: "status=\(key.code)")
    }
    return files + markupOfRun + markupOfUnsureTempos
  }

  private var markupOfRun: [[String: Any]] {
    (run?.roots ?? []).filter { $0.condition != .scanned }.map { root in
      let (what, advice) =
        switch root.condition {
        case .empty: ("A folder has no audio files.", "Is the drive mounted? What is known of its files is kept.")
        case .unreadable:
          ("A folder could not be read to its end.", "Check its permissions and the disk. What is known is kept.")
        case .missing, .scanned: ("A folder is not there.", "Is the drive mounted? What is known of its files is kept.")
        }
      return entry(
        "failed", what: what, advice, noun: "folder", count: 1, files: [["path": DisplayPath.text(of: root.path)]],
        show: nil)
    }
  }

  private var markupOfUnsureTempos: [[String: Any]] {
    guard unsure.total > 0 else { return [] }
    let what =
      unsure.total == 1 ? "1 track has an unsure tempo." : "\(PageWords.number(unsure.total)) tracks have an unsure tempo."
    let advice =
      unsure.total == 1
      ? "Listen to it, and correct it if it is wrong. Corrections survive every later run."
      : "Listen to them, and correct what is wrong. Corrections survive every later run."
    return [
      entry(
        "unsure", what: what, advice, noun: "track", count: unsure.total, files: unsure.files(limit: Self.listedFiles),
        show: "confidence=guess")
    ]
  }

  private func entry(
    _ shape: String, what: String, _ advice: String, noun: String, count: Int, files: [[String: Any]], show: String?
  ) -> [String: Any] {
    var entry: [String: Any] = [
      "failed": shape == "failed", "damaged": shape == "damaged", "unsure": shape == "unsure", "what": what,
      "do": advice, "more": files.count == 1 ? "Show \(noun)" : "Show \(PageWords.counted(files.count, noun))",
      "files": files,
    ]
    if let show, count > files.count {
      entry["rest"] = ["text": "Show all \(PageWords.number(count)) in the table", "show": show]
    }
    return entry
  }

  // MARK: What is new

  private struct NewFolder {
    private(set) var tracks = 0
    private(set) var seconds = 0.0
    private(set) var rows: [Int] = []
    private(set) var artists: [String: Int] = [:]
    private(set) var tempos: ClosedRange<Double>?

    mutating func count(_ record: FileRecord, row: Int, _ seconds: Double) {
      tracks += 1
      self.seconds += seconds
      if rows.count < PageNews.listedPrints { rows.append(row) }
      if let artist = record.tags?.fields["artist"]?.joined(separator: " / "), !artist.isEmpty {
        artists[artist, default: 0] += 1
      }
      if let tempo = record.tempo, let bpm = tempo.bpm, bpm.isFinite, tempo.confidence >= UnsureTempo.limit {
        tempos = min(tempos?.lowerBound ?? bpm, bpm)...max(tempos?.upperBound ?? bpm, bpm)
      }
    }

    var about: String {
      let names = artists.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
      var text = names.prefix(PageNews.listedArtists).joined(separator: ", ")
      if names.count > PageNews.listedArtists { text += " and \(names.count - PageNews.listedArtists) more" }
      if names.isEmpty { text = "No artist in tags" }
      guard let tempos else { return text }
      let (low, high) = (Int(tempos.lowerBound.rounded()), Int(tempos.upperBound.rounded()))
      return text + (low == high ? " · \(low) BPM" : " · \(low)–\(high) BPM")
    }
  }

  private func markupOfFolders(_ columns: TrackColumns) -> [[String: Any]] {
    let root = columns.root
    let ordered = newFolders.sorted { ($1.value.tracks, $0.key) < ($0.value.tracks, $1.key) }
    return ordered.prefix(Self.listedFolders).map { path, folder in
      let isRoot = path.utf8.count < root.utf8.count
      let name = isRoot ? (root.split(separator: "/").last.map { String($0) } ?? "") : String(path.dropFirst(root.count))
      let allowed = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
      return [
        "folder": name + "/", "count": "\(PageWords.counted(folder.tracks, "track")) · \(PageWords.span(folder.seconds))",
        "about": folder.about, "tracks": folder.rows.map { String($0) }.joined(separator: ","),
        "show": "status=new&folder=\(path.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")",
      ]
    }
  }

  // MARK: Data

  /// The element `library`.
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

  /// The days on which runs ended, and how many tracks the library had then.
  private var points: [(day: String, tracks: Int)] {
    var tracks = 0
    // Of runs that are not known any more, or that have died.
    var known = growth
    let points = source.runs.map { run in
      tracks += known.removeValue(forKey: run.id) ?? 0
      return (LocalTime(run.finished ?? run.started, in: source.timeZone).date, tracks)
    }
    return Array(points.suffix(Self.listedRuns))
  }
}

/// The tracks with the least confident tempos.
private struct UnsureTempos {
  private struct Track {
    var path: FilePath
    var bpm: Double
    var confidence: Double
  }

  private static let kept = 64
  private(set) var total = 0
  private var tracks: [Track] = []

  mutating func count(_ path: FilePath, bpm: Double, confidence: Double) {
    total += 1
    tracks.append(Track(path: path, bpm: bpm, confidence: confidence))
    if tracks.count >= 2 * Self.kept { keepLeast() }
  }

  private mutating func keepLeast() {
    tracks.sort { $0.confidence < $1.confidence }
    tracks.removeLast(max(0, tracks.count - Self.kept))
  }

  func files(limit: Int) -> [[String: Any]] {
    tracks.sorted { $0.confidence < $1.confidence }.prefix(limit).map {
      [
        "path": DisplayPath.text(of: $0.path),
        "why": "\(PageWords.decimal($0.bpm)) BPM, \(PageWords.percent($0.confidence)) confidence",
      ]
    }
  }
}
