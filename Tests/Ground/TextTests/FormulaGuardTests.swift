import AnalysisTesting
import Testing

@testable import Text

@Suite(.bounded) struct FormulaGuardTests {
  @Test(arguments: ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "-", "＝1", "＋1", "－1", "＠x", #"\x0Dx"#, "-7.5 dB", "-١"])
  func whatASpreadsheetRunsIsGuarded(text: String) {
    #expect(FormulaGuard.added(to: text) == "'" + text)
    #expect(FormulaGuard.removed(from: "'" + text) == text)
  }

  @Test(arguments: ["", "a=b", "-7.5", "+3", "-.5e-3", "'", "'n Sync", "''", " =1", "1-2", "ü", #"\x0Ax"#])
  func otherTextStays(text: String) {
    #expect(FormulaGuard.added(to: text) == text)
    #expect(FormulaGuard.removed(from: text) == text)
  }

  /// Apostrophes that belong to the text are not guards.
  @Test func everyTextComesBack() {
    let pieces = ["'", "=", "-", "7", ".5", "a", "＝", "\t", " ", #"\x0D"#]
    for first in pieces {
      for second in pieces {
        for third in pieces {
          let text = first + second + third
          #expect(FormulaGuard.removed(from: FormulaGuard.added(to: text)) == text)
        }
      }
    }
  }
}
