internal import AnalysisTasks
import ArgumentParser
import Commands

struct CompletionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Commands.completions, abstract: "Print a completion script for bash, zsh or fish")

  private static let shells = CompletionShell.allCases.map(\.rawValue).sorted()

  @Argument(help: "The shell: \(shells.joined(separator: ", "))", completion: .list(shells))
  var shell: String

  func run() async throws {
    try await reportingErrors {
      guard let shell = CompletionShell(rawValue: shell) else {
        let shells = Self.shells.joined(separator: ", ")
        throw CommandFailure(.usage, "There are no completions for \(shell); valid: \(shells).")
      }
      try StandardOutput.write(CompletionScript.text(for: shell) + "\n")
    }
  }
}

/// A completion script that supports the default command: if the first word is not a subcommand, words are completed as
/// if they followed `run`. ArgumentParser's own scripts complete the options of `run` only after that word.
private enum CompletionScript {
  static func text(for shell: CompletionShell) -> String {
    let script = Analyze.completionScript(for: shell)
    let start = "\n_analyze() {\n"
    return switch shell {
    case .bash: script.replacing(start, with: start + bash, maxReplacements: 1)
    case .zsh: script.replacing(start, with: start + zsh, maxReplacements: 1)
    case .fish: script.replacing("\nfunction __analyze_tokens\n", with: "\n\(fish)", maxReplacements: 1) + fishFiles
    default: script
    }
  }

  private static let commands =
    Analyze.configuration.subcommands.compactMap { command in
      command.configuration.shouldDisplay ? command.configuration.commandName : nil
    } + ["help"]

  private static let bash = #"""
        case "${COMP_WORDS[1]}" in
        \#(commands.joined(separator: "|"))) ;;
        *)
            if [[ "${COMP_CWORD}" -gt 1 || "${2}" = -* ]]; then
                COMP_LINE="${COMP_LINE/ / run }"
                ((COMP_POINT += 4, COMP_CWORD += 1))
                COMP_WORDS=("${COMP_WORDS[0]}" run "${COMP_WORDS[@]:1}")
            else
                local path
                while IFS='' read -r path; do
                    COMPREPLY+=("${path}")
                done < <(compgen -f -- "${2}")
            fi
            ;;
        esac

    """#

  private static let zsh = #"""
        if [[ "${words[2]}" != (\#(commands.joined(separator: "|"))) ]]; then
            if [[ "${CURRENT}" -gt 2 || "${words[CURRENT]}" = -* ]]; then
                words=("${words[1]}" run "${(@)words[2,-1]}")
                (( CURRENT += 1 ))
            else
                _files
            fi
        fi

    """#

  private static let fish = #"""
    function __analyze_tokens
        set -l tokens (__analyze_typed_tokens $argv)
        if test "$argv" = -pc; and not contains -- "$tokens[2]" \#(commands.joined(separator: " "))
            if set -q tokens[2]; or string match -q -- '-*' (commandline -t)
                set tokens $tokens[1] run $tokens[2..]
            end
        end
        printf %s\n $tokens
    end

    function __analyze_typed_tokens

    """#

  private static let fishFiles = #"""

    complete -c 'analyze' -n '__analyze_should_offer_completions_for_positional "analyze" -eq 1' -F
    """#
}
