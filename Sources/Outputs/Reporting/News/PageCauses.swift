internal import Analysis
internal import Platform
internal import Records

/// The problems that need attention: files that failed or are damaged, by reason; folders that were not scanned
/// completely; uncertain tempos.
struct PageCauses {
  private static let listedFiles = 20

  private struct Key: Hashable {
    var isFailure: Bool
    var code: String
  }

  private typealias File = MorningReport.Cause.File

  private struct Cause {
    private(set) var total = 0
    private(set) var news = 0
    private var listedNews: [File] = []
    private var listedOthers: [File] = []
    /// The extent to which the first file could be read.
    private(set) var extent: String?

    mutating func count(_ record: FileRecord, _ problem: Problem, isNews: Bool) {
      let text = ProblemSentence.text(of: problem, record.format)
      if total == 0 { extent = ProblemSentence.extent(of: problem, record.format) }
      total += 1
      if isNews { news += 1 }
      guard (isNews ? listedNews : listedOthers).count < PageCauses.listedFiles else { return }
      let file = File(
        id: ContentID(ofPath: record.path).description, path: DisplayPath.text(of: record.path), text: text)
      if isNews { listedNews.append(file) } else { listedOthers.append(file) }
    }

    /// The files to list, starting with those that no earlier run has reported.
    var files: [File] { Array((listedNews + listedOthers).prefix(PageCauses.listedFiles)) }
  }

  private var causes: [Key: Cause] = [:]
  private var unsure = UnsureTempos()

  /// Number of failed and damaged files.
  var fileCount: Int { causes.values.reduce(0) { $0 + $1.total } }

  /// - Parameter isNews: `true` if no earlier run has reported the problem.
  mutating func count(_ record: FileRecord, _ problem: Problem, isFailure: Bool, isNews: Bool) {
    causes[Key(isFailure: isFailure, code: problem.code), default: Cause()].count(record, problem, isNews: isNews)
  }

  mutating func countTempo(of record: FileRecord) {
    guard record.tempoCorrection == nil, let tempo = record.tempo, let bpm = tempo.bpm, bpm.isFinite,
      tempo.confidence < UnsureTempos.limit
    else { return }
    unsure.count(record.path, bpm: bpm, confidence: tempo.confidence)
  }

  /// Returns failures, damage, folders that were not scanned completely, and uncertain tempos.
  /// - Parameter isFirstRun: `true` if everything is new, in which case the texts do not say what is new.
  func causes(of run: RunRecord?, isFirstRun: Bool) -> [MorningReport.Cause] {
    causesOfFiles(isFirstRun: isFirstRun) + causes(of: run?.roots ?? []) + causesOfUnsureTempos
  }

  private func causesOfFiles(isFirstRun: Bool) -> [MorningReport.Cause] {
    let ordered = causes.sorted { first, second in
      func rank(_ cause: (key: Key, value: Cause)) -> (Int, Int, Int) {
        (cause.key.isFailure ? 0 : 1, -cause.value.news, -cause.value.total)
      }
      return rank(first) == rank(second) ? first.key.code < second.key.code : rank(first) < rank(second)
    }
    return ordered.map { key, cause in
      let words = ProblemWords(code: key.code)
      var advice = words.advice(count: cause.total)
      if cause.total == 1, let extent = cause.extent { advice = "\(extent) \(advice)" }
      if !isFirstRun, cause.news > 0, cause.news < cause.total {
        advice = "\(PageFormatter.number(cause.news)) \(cause.news == 1 ? "is" : "are") new. " + advice
      }
      return MorningReport.Cause(
        kind: key.isFailure ? .failed : .damaged, subject: .file,
        what: words.sentence(count: cause.total, number: PageFormatter.number(cause.total)), advice: advice,
        count: cause.total, files: cause.files, tableState: "status=\(key.code)")
    }
  }

  private func causes(of roots: [RunRecord.Root]) -> [MorningReport.Cause] {
    roots.filter { $0.condition != .scanned }.map { root in
      let (what, advice) =
        switch root.condition {
        case .empty: ("A folder has no audio files.", "Is the drive mounted? Known results of its files are kept.")
        case .unreadable:
          ("A folder could not be read to its end.", "Check its permissions and the disk. Known results are kept.")
        case .missing, .scanned: ("A folder is missing.", "Is the drive mounted? Known results of its files are kept.")
        }
      return MorningReport.Cause(
        kind: .failed, subject: .folder, what: what, advice: advice, count: 1,
        files: [File(path: DisplayPath.text(of: root.path))])
    }
  }

  private var causesOfUnsureTempos: [MorningReport.Cause] {
    guard unsure.total > 0 else { return [] }
    let what =
      unsure.total == 1
      ? "1 track has an uncertain tempo." : "\(PageFormatter.number(unsure.total)) tracks have an uncertain tempo."
    let advice =
      unsure.total == 1
      ? "Listen to it, and correct it if it is wrong: analyze review. Corrections survive every later run."
      : "Review them, and correct the wrong ones: analyze review. Corrections survive every later run."
    return [
      MorningReport.Cause(
        kind: .unsure, subject: .track, what: what, advice: advice, count: unsure.total,
        files: unsure.files(limit: Self.listedFiles), tableState: "confidence=guess")
    ]
  }
}
