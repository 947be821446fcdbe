import ArgumentParser
import Foundation

@main
struct Program {
  static func main() async {
    // A reader who leaves, as `head` does, is met as an error of the write and not as a signal that ends us.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow further (ulimit -f) is an error as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
    // Of a worker process that crashes the run tells in a sentence.
    setenv("SWIFT_BACKTRACE", "enable=no", 0)
    let arguments = RawArguments.texts
    if Set(arguments) == ["--version", "--json"] {
      print(VersionReport.json)
    } else {
      await Analyze.main(arguments)
    }
  }
}
