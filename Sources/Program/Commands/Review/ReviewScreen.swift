import Analysis
import AnalysisTasks
import Foundation
internal import Library
import LibraryTasks
import Platform
import SystemPackage
import Text

/// The screen of a review, laid out for any size. The last lines, with the keys, are always shown; lines that do not
/// fit are dropped from the middle.
struct ReviewScreen {
  /// The state of the review, apart from the track.
  struct Status {
    var position: Int
    var count: Int
    var tally: TempoReview.Tally
    var canUndo: Bool
    var canListen: Bool
    /// A description of the current playback; empty when idle.
    var activity: String
    var taps: Int
    /// The tempo of the taps, in beats per minute; `nil` if there are too few taps.
    var tapped: Double?
    var message: String
  }

  /// Maximum width in columns; longer lines are harder to read.
  private static let maxWidth = 100

  private let width: Int
  private let height: Int
  private let style: TextStyle
  private let glyphs: TerminalGlyphs

  init(width: Int, height: Int, style: TextStyle, glyphs: TerminalGlyphs) {
    // The last column stays empty, because some terminals wrap lines there.
    self.width = max(20, min(width - 1, Self.maxWidth))
    self.height = height
    self.style = style
    self.glyphs = glyphs
  }

  func lines(for track: ReviewedTrack, _ status: Status) -> [String] {
    var top = [head(status), ""]
    top.append(glyphs.cut(glyphs.text(printable(DisplayPath.text(of: track.path))), keepingEndIn: width))
    top.append(glyphs.cut(glyphs.text(name(of: track)), to: width))
    top.append("")
    top.append(found(track))
    if let doubt = track.doubt { top.append(glyphs.cut("  " + doubt, to: width)) }
    top.append("")
    top.append(choice("h", "half", track.half))
    top.append(choice("d", "double", track.double))
    for (index, other) in track.others.enumerated() { top.append(choice("\(index + 1)", "", other)) }
    var middle: [String] = []
    if let strip = strip(track.tempo.onsets.values) { middle += ["", strip] }
    let bottom =
      ["", glyphs.cut(tapLine(status), to: width), glyphs.cut(glyphs.text(status.message), to: width), ""]
      + keys(track, status)
    if top.count + middle.count + bottom.count > height { middle = [] }
    if top.count + bottom.count > height { top.removeAll(where: \.isEmpty) }
    let room = max(0, height - bottom.count)
    if top.count > room { top = Array(top.prefix(room)) }
    return Array((top + middle + bottom).suffix(height))
  }

  private func head(_ status: Status) -> String {
    var parts: [String] = []
    let tally = status.tally
    if tally.confirmed > 0 { parts.append("\(tally.confirmed) confirmed") }
    if tally.changed > 0 { parts.append("\(tally.changed) changed") }
    if tally.skipped > 0 { parts.append("\(tally.skipped) skipped") }
    let title = "Tempo review   \(status.position) of \(status.count)"
    let rest = parts.isEmpty ? "" : "   " + parts.joined(separator: ", ")
    return glyphs.cut(title, to: width) + style.colored(glyphs.cut(rest, to: max(0, width - title.count)), .faint)
  }

  private func name(of track: ReviewedTrack) -> String {
    let name = Track.name(artist: track.artist, title: Track.title(track.title, of: track.path))
    return printable(name) + (track.duration.map { "  (\(clockText($0)))" } ?? "")
  }

  private func found(_ track: ReviewedTrack) -> String {
    let bpm = String(format: "%9.2f BPM", track.found.bpm)
    let words = ReviewedTrack.words(for: track.tempo.confidence)
    let confidence = String(format: "confidence %.2f", track.tempo.confidence)
    let line = "     \(bpm)  \(words), \(confidence)" + share(track.found.weight)
    return style.colored(glyphs.cut(line, to: width), .yellow)
  }

  private func choice(_ key: String, _ name: String, _ choice: ReviewedTrack.Choice) -> String {
    let isValid = TempoChange.tempi.contains(choice.bpm)
    let line =
      "  \(key)  " + String(format: "%9.2f BPM", choice.bpm) + (name.isEmpty ? "" : "  \(name)")
      + (isValid ? share(choice.weight) : ", out of range")
    return glyphs.cut(line, to: width)
  }

  private func share(_ weight: Double?) -> String {
    weight.map { String(format: "  %.0f%% of the evidence", $0 * 100) } ?? ""
  }

  /// The onset strength over the track, in a line as wide as the screen; `nil` if there are too few values, or if all
  /// are equal.
  private func strip(_ values: [Double]) -> String? {
    let columns = min(width - 4, values.count)
    guard columns > 8 else { return nil }
    let means = (0..<columns).map { column in
      let piece = values[column * values.count / columns..<(column + 1) * values.count / columns]
      return piece.reduce(0, +) / Double(piece.count)
    }
    guard let least = means.min(), let greatest = means.max(), least < greatest else { return nil }
    let bars = means.map { mean in
      let level = Int((mean - least) / (greatest - least) * Double(glyphs.bars.count))
      return glyphs.bars[min(glyphs.bars.count - 1, level)]
    }
    return "  " + style.colored(String(bars), .faint)
  }

  private func tapLine(_ status: Status) -> String {
    if let tapped = status.tapped {
      return "  \(counted(status.taps, "tap")): " + String(format: "%.2f BPM", tapped)
    }
    if status.taps > 0 { return "  \(counted(status.taps, "tap")), at least \(TapTempo.minTaps)" }
    return status.activity.isEmpty ? "" : "  " + status.activity
  }

  private func keys(_ track: ReviewedTrack, _ status: Status) -> [String] {
    var words: [String] = []
    if let tapped = status.tapped {
      words += [String(format: "enter take %.2f", tapped), "del forget taps"]
    } else {
      words.append("enter is right")
    }
    words += ["h half", "d double"]
    if !track.others.isEmpty { words.append(track.others.count == 1 ? "1 other" : "1-\(track.others.count) others") }
    words.append("t tap")
    if status.canListen { words += [status.activity.isEmpty ? "space hear clicks" : "space stop", "m music"] }
    words += ["n no steady beat", "s skip"]
    if status.canUndo { words.append("u undo") }
    words.append("q quit")
    var lines = [""]
    for word in words {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = word
      } else if line.count + word.count + 3 <= width {
        lines[lines.count - 1] = line + "   " + word
      } else {
        lines.append(word)
      }
    }
    return lines.map { style.colored($0, .green) }
  }
}
