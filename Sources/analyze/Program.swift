import ArgumentParser
import Foundation

@main
struct Program {
  static func main() async {
    // A reader who leaves, as `head` does, is met as an error of the write and not as a signal that ends us.
    signal(SIGPIPE, SIG_IGN)
    let arguments = RawArguments.texts
    if Set(arguments) == ["--version", "--json"] {
      print(VersionReport.json)
    } else {
      await Analyze.main(arguments)
    }
  }
}
