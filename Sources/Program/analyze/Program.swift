import Commands

@main
struct Program {
  static func main() { Entry.run(Analyze.self, presentNames: Analyze.withPresentName) }
}
