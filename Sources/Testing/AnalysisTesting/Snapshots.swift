internal import Foundation
internal import Text

/// The texts that a program is expected to output, each in a file next to the tests.
///
/// With `NOCTURNE_RECORD=1` in the environment, texts are written instead of compared. Review the changes like any
/// other change to the sources.
public struct Snapshots: Sendable {
  /// The environment variable that enables recording.
  public static let variable = "NOCTURNE_RECORD"

  private let folder: URL
  private let isRecording: Bool

  /// Uses the snapshots in the folder `Snapshots` next to a test file.
  ///
  /// - Parameter part: The name of a subfolder.
  public init(beside file: String = #filePath, part: String = "") {
    folder = URL(filePath: file).deletingLastPathComponent().appending(path: "Snapshots").appending(path: part)
    isRecording = ProcessInfo.processInfo.environment[Self.variable] == "1"
  }

  /// Compares a text with the snapshot of the given name.
  ///
  /// - Returns: A complaint that contains the difference, or says that the text was written; `nil` if the text is
  ///   unchanged.
  public func complaint(about text: String, named name: String) throws -> String? {
    let file = folder.appending(path: name)
    let known = try? Data(contentsOf: file)
    guard known != Data(text.utf8) else { return nil }
    if isRecording {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
      return "\(file.path): written, because \(Self.variable) is 1. Read the change, and test again without."
    }
    guard let known else { return "\(file.path): there is no such file. Write it with \(Self.variable)=1." }
    let difference = TextDifference(from: String(decoding: known, as: UTF8.self), to: text)
    return "\(file.path) is another text now (- as known, + as it is):\n\(difference.text)"
  }

  /// Finds snapshots that no test uses, and removes them when recording.
  ///
  /// - Parameter names: All names that tests use.
  public func leftOver(besides names: Set<String>) throws -> [String] {
    let inside = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    let surplus = inside.filter { !URL(filePath: $0).pathExtension.isEmpty && !names.contains($0) }.sorted()
    if isRecording { for name in surplus { try FileManager.default.removeItem(at: folder.appending(path: name)) } }
    return surplus
  }
}

/// The difference between two texts, line by line, in a format like that of `diff -u`, cut off after 60 lines.
struct TextDifference {
  private static let context = 2
  private static let maxLines = 60
  private static let maxCharacters = 240

  let text: String

  init(from old: String, to new: String) {
    let (old, new) = (Self.lines(old), Self.lines(new))
    var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var all: [(sign: Character, line: Substring, number: Int)] = []
    var (before, after) = (0, 0)
    while before < old.count || after < new.count {
      if removed.contains(before) {
        all.append(("-", old[before], before))
        before += 1
      } else if inserted.contains(after) {
        all.append(("+", new[after], before))
        after += 1
      } else {
        all.append((" ", old[before], before))
        (before, after) = (before + 1, after + 1)
      }
    }
    text = Self.hunks(all)
  }

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n" as Unicode.Scalar, omittingEmptySubsequences: false)
  }

  private static func hunks(_ all: [(sign: Character, line: Substring, number: Int)]) -> String {
    var near = [Bool](repeating: false, count: all.count)
    for index in all.indices where all[index].sign != " " {
      for place in max(0, index - context)...min(all.count - 1, index + context) { near[place] = true }
    }
    var lines: [String] = []
    for index in all.indices where near[index] {
      if index == 0 || !near[index - 1] { lines.append("@@ line \(all[index].number + 1) @@") }
      // Control characters are escaped, so a terminal shows everything.
      let shown = String(all[index].line).debugDescription.dropFirst().dropLast().replacing("\\\"", with: "\"")
      lines.append("\(all[index].sign)\(shown.prefix(maxCharacters))\(shown.count > maxCharacters ? " …" : "")")
    }
    let more = lines.count - maxLines
    return lines.prefix(maxLines).joined(separator: "\n") + (more > 0 ? "\n… and \(more) more lines" : "")
  }
}

extension String {
  fileprivate func split(
    separator: Unicode.Scalar, omittingEmptySubsequences: Bool
  ) -> [Substring] {
    // A carriage return followed by a line feed is a single `Character`. Splitting by scalars keeps them distinct.
    unicodeScalars.split(separator: separator, omittingEmptySubsequences: omittingEmptySubsequences).map {
      Substring($0)
    }
  }
}
