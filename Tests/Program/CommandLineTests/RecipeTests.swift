import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// The commands of docs/workers.md, as they stand there, with the tools that `Scripts/setup test` installs.
@Suite struct RecipeTests {
  @Test(arguments: ["parallel", "xargs", "shards", "plan"]) func recipesOfTheDocumentation(name: String) throws {
    let place = try Workplace()
    let script = Repository.path("Scripts/run-checks")
    let outcome = try RunningProgram(
      ["--jobs", "1", "--analyze", Argument(RunningProgram.executable), "recipes", "-k", "\(name)"], of: script,
      environment: place.environment, workingFolder: place.folder.path
    ).end()
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
  }
}
