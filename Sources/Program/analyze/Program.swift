import Commands

@main
struct Program {
  static func main() { EntryPoint.run(Analyze.self, presentNames: Analyze.withPresentName) }
}
