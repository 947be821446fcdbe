internal import Library
package import Platform
internal import Records
internal import SystemPackage
internal import Text

/// A plan for duplicates, for a person to edit. Each line that is not a comment is an action and a path. Paths are
/// quoted for the shell, so that names with any bytes survive editors. Nocturne never executes the plan.
package struct DuplicatePlan {
  private static let title = "# Plan for duplicates, by Nocturne."

  /// Identifies a plan file.
  package static let proof = OriginProof.head(orElse: "does not start with the title of a duplicates plan") {
    $0.starts(with: title.utf8)
  }

  private let duplicates: LibraryDuplicates

  package init(of duplicates: LibraryDuplicates) { self.duplicates = duplicates }

  package var text: String {
    var lines = [
      Self.title,
      "#",
      "# Nocturne deletes nothing. Edit this list, then use it as you like. Each line is a word and a path:",
      "#   keep    the best file of a recording",
      "#   remove  a file whose audio is entirely in the kept file above it",
      "#   review  the same recording, but another edit, cut or speed: listen first",
      "# Paths are quoted for sh and bash. To see what removing would do, and then to do it:",
      "#   sed -n 's/^remove  */ls -l -- /p' PLAN | bash",
      "#   sed -n 's/^remove  */rm -v -- /p' PLAN | bash",
      "#",
      "# \(duplicates.groups.count) groups, \(duplicates.spareCount) files to remove, \(duplicates.spareBytes) bytes.",
    ]
    for (number, group) in duplicates.groups.enumerated() {
      lines.append("")
      lines.append("# \(number + 1). \(printable(group.name)) (\(group.spareBytes) bytes)")
      for file in group.files {
        let word =
          switch file.advice {
          case .keep: "keep  "
          case .spare: "remove"
          case .review: "review"
          }
        lines.append("# \(printable(DuplicateText.note(on: file)))")
        lines.append("\(word)  \(Self.quoted(file.record.path))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a path as one shell word: in single quotes, or as $'…' (POSIX 2024) if it contains bytes that are not
  /// printable text.
  static func quoted(_ path: FilePath) -> String {
    let bytes = path.withBytes { Array($0) }
    if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isUnprintable) {
      return "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
    var quoted = "$'"
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"): quoted += "\\" + String(UnicodeScalar(byte))
      case 0x20..<0x7F: quoted.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 8)
        quoted += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
    return quoted + "'"
  }

  private static func isUnprintable(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
    default: false
    }
  }
}
