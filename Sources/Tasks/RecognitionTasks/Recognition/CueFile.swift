package import Recognition
internal import Text

/// A cue sheet for one long recording, in the format that players and disc burners read.
package enum CueFile {
  /// Minimum duration, in seconds, of an unrecognized stretch that becomes a track of its own. In a cue sheet, a track
  /// always lasts until the next one.
  private static let minUnknownDuration = 10.0

  /// - Parameters:
  ///   - name: The file name of the recording without folders, because the cue sheet is in the same folder.
  ///   - fileExtension: The extension of the recording.
  package static func text(of sheet: CueSheet, name: String, fileExtension: String) -> String {
    var lines = ["REM GENERATOR nocturne", "FILE \(quoted(name)) \(type(ofExtension: fileExtension))"]
    var number = 0
    func add(_ title: String, _ performer: String?, isrc: String?, at seconds: Double) {
      number += 1
      lines.append("  TRACK \(padded(number)) AUDIO")
      lines.append("    TITLE \(quoted(title))")
      if let performer { lines.append("    PERFORMER \(quoted(performer))") }
      if let isrc, isISRC(isrc) { lines.append("    ISRC \(isrc)") }
      lines.append("    INDEX 01 \(index(seconds))")
    }
    var end = 0.0
    for cue in sheet.cues {
      if cue.start - end >= minUnknownDuration { add("Unknown", nil, isrc: nil, at: end) }
      // The first track must start at 0.
      let isFirst = number == 0
      let item = cue.match.item
      add(item.title ?? cue.match.referenceIdentifier, item.artist, isrc: item.isrc, at: isFirst ? 0 : cue.start)
      end = max(end, cue.end)
    }
    if number == 0 || sheet.duration - end >= minUnknownDuration { add("Unknown", nil, isrc: nil, at: end) }
    return lines.joined(separator: "\r\n") + "\r\n"
  }

  /// Formats a time as minutes, seconds, and frames of 1/75 s.
  private static func index(_ seconds: Double) -> String {
    let frames = Int((max(0, seconds) * 75).rounded())
    return "\(padded(frames / 75 / 60)):\(padded(frames / 75 % 60)):\(padded(frames % 75))"
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Replaces quotation marks, line breaks and other control characters, because the format cannot represent them.
  private static func quoted(_ text: String) -> String {
    let line = text.unicodeScalars.map { $0 == "\"" ? "'" : $0.isControlOrSeparator ? " " : $0 }
    return "\"\(String(String.UnicodeScalarView(line)))\""
  }

  private static func isISRC(_ text: String) -> Bool {
    text.utf8.count == 12 && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
  }

  /// Returns the type for a file name extension. The format defines only a few types; all other files use WAVE.
  private static func type(ofExtension text: String) -> String {
    switch text.lowercased() {
    case "mp3": "MP3"
    case "aif", "aiff": "AIFF"
    default: "WAVE"
    }
  }
}
