internal import Analysis
internal import Records
internal import System
internal import SystemPackage

/// What a page says of all files together: how many of each status, what went wrong, how the tempos are spread.
struct LibraryOverview {
  private struct Listed {
    var path: FilePath
    var problem: Problem
  }

  /// Tempos are counted in steps of 5 BPM.
  private static let tempoStep = 5
  /// What is faster counts as this: more than any analyzer gives, and few enough steps to draw.
  private static let highestTempo = 400.0

  private let listedProblems: Int
  private var statuses: [FileRecord.Status: Int] = [:]
  private var unlisted = 0
  /// Failed and partial files by the code of the reason.
  private var problemCounts: [String: Int] = [:]
  private var problems: [Listed] = []
  private var tempos: [Int: Int] = [:]

  init(listedProblems: Int) {
    self.listedProblems = listedProblems
  }

  /// - Parameter isListed: Whether it is in the list of files, too.
  mutating func count(_ record: FileRecord, isListed: Bool) {
    statuses[record.status, default: 0] += 1
    if !isListed { unlisted += 1 }
    if let bpm = record.tempo?.bpm, bpm.isFinite {
      tempos[Int(min(max(0, bpm), Self.highestTempo)) / Self.tempoStep, default: 0] += 1
    }
    guard record.status == .failed || record.status == .partial, let problem = record.problem else { return }
    problemCounts[problem.code, default: 0] += 1
    if problems.count < listedProblems { problems.append(Listed(path: record.path, problem: problem)) }
  }

  func write(to html: inout HTMLWriter) {
    html.markup("<section id=\"overview\">\n<h2>Overview</h2>\n")
    let counts = FileRecord.Status.allCases.map { "\(statuses[$0, default: 0]) \($0.rawValue)" }
    html.element("p", "Files here: \(statuses.values.reduce(0, +)); \(counts.joined(separator: ", ")).")
    if unlisted > 0 {
      html.element("p", "Not listed: \(unlisted) of those skipped, which are no audio by their names.")
    }
    writeProblems(to: &html)
    writeTempos(to: &html)
    html.markup("</section>\n")
  }

  private func writeProblems(to html: inout HTMLWriter) {
    guard !problemCounts.isEmpty else { return }
    html.markup("<h2>Failed or not read to the end</h2>\n<table>\n<tbody>\n")
    for (code, count) in problemCounts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      html.markup("<tr>")
      html.cell("\(count)", class: "number")
      html.cell(code)
      html.markup("</tr>\n")
    }
    html.markup("</tbody>\n</table>\n<details>\n<summary>Each file</summary>\n<table>\n<tbody>\n")
    for listed in problems {
      html.markup("<tr><td>")
      html.link(to: listed.path.fileURI, DisplayPath.text(of: listed.path))
      html.cell(listed.problem.message)
      html.markup("</tr>\n")
    }
    html.markup("</tbody>\n</table>\n")
    let unlisted = problemCounts.values.reduce(0, +) - problems.count
    if unlisted > 0 { html.element("p", "And \(unlisted) more: see the files below.") }
    html.markup("</details>\n")
  }

  /// A histogram, drawn on a ground of 100 by one unit for each step.
  private func writeTempos(to html: inout HTMLWriter) {
    guard let lowest = tempos.keys.min(), let highest = tempos.keys.max(), let most = tempos.values.max() else {
      return
    }
    let width = 12
    html.markup("<h2>Tempo</h2>\n<svg viewBox=\"0 0 \((highest - lowest + 1) * width) 110\" role=\"img\" ")
    html.markup("aria-label=\"Number of files by tempo\">\n")
    for step in lowest...highest {
      let (count, left) = (tempos[step, default: 0], (step - lowest) * width)
      let (low, height) = (step * Self.tempoStep, count * 100 / most)
      if count > 0 {
        html.markup(
          "<rect x=\"\(left)\" y=\"\(100 - max(1, height))\" width=\"\(width - 1)\" height=\"\(max(1, height))\">"
            + "<title>\(low) to \(low + Self.tempoStep) BPM: \(count)</title></rect>\n")
      }
      if low % 20 == 0 { html.markup("<text x=\"\(left)\" y=\"108\">\(low)</text>\n") }
    }
    html.markup("</svg>\n")
  }
}
