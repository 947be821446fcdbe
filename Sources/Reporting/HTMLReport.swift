internal import Analysis
internal import Records
internal import System
internal import SystemPackage
internal import Text

/// A page for people: the run, what failed and why, the tempos, and all files by folder.
///
/// One file without scripts and without anything to fetch; a policy in its head forbids both, since what it shows are names
/// and tags that come from strangers. What is known only after the last record (counts, failures, tempos) stands at the end
/// of the text and is shown before the files by its style.
struct HTMLReport: ReportEncoder {
  /// Failures listed one by one; of the rest there are counts.
  static let listedProblems = 1000
  /// Reasons for skipping that are no news: covers and texts lie beside music everywhere.
  private static let unlistedReasons: Set = ["not_audio", "unknown_kind"]

  private(set) var html = HTMLWriter()
  /// Those that pages show.
  private let findings: [any DeclaredFinding.Type]
  private var folder: FilePath?
  private var overview = LibraryOverview(listedProblems: listedProblems)

  init(_ options: ReportOptions) {
    findings = options.findings.filter { $0.isOnPages }
  }

  var bytes: [UInt8] { html.bytes }
  mutating func removeBytes() { html.removeBytes() }

  mutating func begin(run: RunRecord?, generated: Timestamp) {
    html.markup(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Nocturne report</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      <header>
      <h1>Nocturne report</h1>

      """)
    html.element("p", "Made \(generated).")
    if let run { describe(run) }
    html.markup("</header>\n<main>\n<section id=\"files\">\n<h2>Files</h2>\n")
  }

  mutating func append(_ record: FileRecord) {
    let isListed = record.status != .skipped || !Self.unlistedReasons.contains(record.problem?.code ?? "")
    overview.count(record, isListed: isListed)
    guard isListed else { return }
    let parent = record.path.removingLastComponent()
    if parent != folder {
      endFolder()
      folder = parent
      html.markup("<section class=\"folder\">\n")
      html.element("h3", DisplayPath.text(of: parent))
      html.markup(
        """
        <table>
        <thead><tr><th scope="col">File<th scope="col">Artist<th scope="col">Title<th scope="col">Length\
        <th scope="col">BPM<th scope="col">Sure<th scope="col">Format<th scope="col">Status</tr></thead>
        <tbody>

        """)
    }
    html.markup("<tr class=\"\(record.status.rawValue)\"><td>")
    html.link(to: record.path.fileURI, DisplayPath.text(of: FilePath(root: nil, record.path.components.suffix(1))))
    html.cell(record.tags?.fields["artist"]?.joined(separator: " / "))
    html.cell(record.tags?.fields["title"]?.joined(separator: " / "))
    html.cell(record.format?.duration.flatMap(Self.clock), class: "number")
    html.cell(record.tempo?.bpm.map { Self.decimal($0, places: 2) }, class: "number")
    html.cell(record.tempo?.bpm == nil ? nil : record.tempo.map { Self.percent($0.confidence) }, class: "number")
    html.cell(record.format?.codec)
    html.cell(Self.status(of: record))
    html.markup("</tr>\n")
    describeFindings(of: record)
  }

  /// A row with what declared findings have to show beside the columns of the table.
  private mutating func describeFindings(of record: FileRecord) {
    let texts = findings.compactMap { record.shownText(of: $0) }
    if texts.isEmpty { return }
    html.markup("<tr class=\"\(record.status.rawValue)\"><td colspan=\"8\">")
    html.text(texts.joined(separator: "; "))
    html.markup("</tr>\n")
  }

  mutating func end() {
    endFolder()
    html.markup("</section>\n")
    overview.write(to: &html)
    html.markup("</main>\n</body>\n</html>\n")
  }

  private mutating func endFolder() {
    if folder != nil { html.markup("</tbody>\n</table>\n</section>\n") }
  }

  private mutating func describe(_ run: RunRecord) {
    var sentence = "Run \(run.id) began \(run.started)"
    if let finished = run.finished { sentence += ", ended \(finished)" }
    sentence += " (\(run.state.rawValue)), pipeline \(run.pipeline), program version \(run.programVersion)."
    html.element("p", sentence)
    let totals = run.totals
    html.element(
      "p",
      "Files seen: \(totals.seen). Analyzed: \(totals.analyzed). Damaged or not analyzed to the end: "
        + "\(totals.partial) (new: \(run.newlyDamaged)). Known already: \(totals.cached). "
        + "Failed: \(totals.failed) (new: \(run.newlyFailed)). Skipped: \(totals.skipped). "
        + "Vanished: \(totals.vanished)." + (run.pending > 0 ? " Left for the next run: \(run.pending)." : ""))
    html.markup("<ul>\n")
    for root in run.roots {
      let condition = root.condition == .scanned ? "" : ": \(root.condition.rawValue)"
      html.element("li", DisplayPath.text(of: root.path) + condition)
    }
    html.markup("</ul>\n")
  }

  /// The status and, where there is one, the reason.
  private static func status(of record: FileRecord) -> String {
    var text = record.isVanished ? "\(record.status.rawValue), vanished" : record.status.rawValue
    if let problem = record.problem { text += ": \(problem.message)" }
    return text
  }

  /// `3:07` or `1:02:03`; nil if there is no such length.
  private static func clock(_ seconds: Double) -> String? {
    guard let whole = Int(exactly: seconds.rounded()) else { return nil }
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, padded(whole % 60))
    return hours > 0 ? "\(hours):\(padded(minutes)):\(rest)" : "\(minutes):\(rest)"
  }

  private static func decimal(_ number: Double, places: Int) -> String {
    var json = JSONWriter()
    json.number(number, decimals: places)
    return json.text
  }

  private static func percent(_ share: Double) -> String {
    Int(exactly: (share * 100).rounded()).map { "\($0) %" } ?? "unknown"
  }

  private static let style = """
    :root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
    body { margin: 1.5rem auto; max-width: 80rem; padding: 0 1rem; }
    main { display: flex; flex-direction: column; }
    #files { order: 1; }
    .folder { content-visibility: auto; contain-intrinsic-size: auto 20rem; }
    h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; overflow-wrap: anywhere; }
    table { border-collapse: collapse; width: 100%; }
    .folder { overflow-x: auto; }
    .folder table { min-width: 44rem; table-layout: fixed; }
    .folder th:nth-child(n + 4):nth-child(-n + 7) { width: 4.5rem; }
    .folder th:last-child { width: 16rem; }
    #overview table { width: auto; }
    th, td { border-bottom: 1px solid #8884; overflow-wrap: anywhere; padding: .15rem .5rem; text-align: left; }
    td { unicode-bidi: isolate; vertical-align: top; }
    .number { font-variant-numeric: tabular-nums; text-align: right; }
    .failed { background: #f003; }
    .partial { background: #fa03; }
    .skipped { opacity: .6; }
    svg { height: 8rem; max-width: 100%; }
    svg rect { fill: #47a; }
    svg text { fill: currentColor; font-size: 7px; text-anchor: middle; }
    """
}

extension FileRecord {
  /// The lines of a finding; `nil` if there are none.
  fileprivate func shownText<Finding: DeclaredFinding>(of type: Finding.Type) -> String? {
    guard let finding = findings[type] else { return nil }
    let lines = Finding.declaration.lines(finding, context)
    return lines.isEmpty ? nil : lines.map { "\($0.label): \($0.text)" }.joined(separator: "; ")
  }
}
