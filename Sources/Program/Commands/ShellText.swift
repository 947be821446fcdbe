/// Quotes text for a shell.
enum ShellText {
  /// The command line of this process, with `option` added and the options for a dry run removed.
  static func command(adding option: String?) -> String {
    let words = RawArguments.texts.filter { !["-n", "--dry-run"].contains($0) }
    return (["analyze"] + words.map(quoted) + (option.map { [$0] } ?? [])).joined(separator: " ")
  }

  static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        byte >= 0x80 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
          || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || Array("-_./=:,+@%".utf8).contains(byte)
      }
    return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
  }
}
