import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// Completion as shells do it, not as the text of a script.
@Suite(.bounded) struct CompletionTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    for shell in ["bash", "fish"] {
      let script = try place.analyze("completions", "\(shell)")
      try place.write(script.output, to: place.folder.file("analyze.\(shell)"))
    }
    try place.put(Audio.wav(1), as: "song.wav")
  }

  private func candidates(_ shell: String, _ line: String) throws -> Set<String> {
    let program =
      switch shell {
      case "fish": "source analyze.fish; complete -C '\(line)'"
      default:
        """
        source ./analyze.bash
        COMP_LINE='\(line)' COMP_POINT=\(line.count) COMP_TYPE=9
        read -ra COMP_WORDS <<< "$COMP_LINE"
        [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        function=$(complete -p analyze | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        $function analyze "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      }
    var environment = place.environment
    environment["PATH"] = "\(RunningProgram.executable.removingLastComponent()):\(environment["PATH"] ?? "")"
    let outcome = try RunningProgram(
      ["-c", "\(program)"], of: FilePath("/usr/bin/\(shell)"), environment: environment,
      workingFolder: place.folder.path
    ).end()
    // fish says what each is for, behind a tab.
    return Set(
      outcome.lines.map { line in
        String(line.prefix { $0 != "\t" }).trimmingCharacters(in: .whitespaces)
      })
  }

  @Test(arguments: ["bash", "fish"]) func optionsOfTheDefaultCommandAreKnown(shell: String) throws {
    for line in ["analyze --re", "analyze library --re", "analyze run --re"] {
      let found = try candidates(shell, line)
      #expect(found.isSuperset(of: ["--report", "--retry-failed"]), "\(line): \(found)")
    }
    #expect(try candidates(shell, "analyze --report ").isSuperset(of: ["json", "ndjson", "csv", "html"]))
    #expect(try candidates(shell, "analyze --progress ").contains("plain"))
    let commands = try candidates(shell, "analyze do")
    #expect(commands.contains("doctor"), "\(commands)")
    #expect(try candidates(shell, "analyze show --ba").isEmpty)
    #expect(try candidates(shell, "analyze set --ti").contains("--times"))
    #expect(try candidates(shell, "analyze config ").isSuperset(of: ["show", "trust", "untrust"]))
    #expect(try candidates(shell, "analyze lib").contains { $0.hasPrefix("library") })
  }
}
