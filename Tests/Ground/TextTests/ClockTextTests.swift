import AnalysisTesting
import Testing
import Text

@Suite(.bounded) struct ClockTextTests {
  @Test(
    arguments: [
      (0, 0, "0:00"), (59.6, 0, "1:00"), (291, 0, "4:51"), (3723, 0, "1:02:03"), (87.352, 2, "1:27.35"),
      (59.999, 2, "1:00.00"),
      (3599.9996, 3, "1:00:00.000"), (-3, 0, "0:00"), (.nan, 0, "0:00"), (.infinity, 0, "277777:46:40"),
      (1.04, 1, "0:01.0"), (0.94, 1, "0:00.9"), (0.4, 0, "0:00"), (0.994, 2, "0:00.99"), (0.9994, 3, "0:00.999"),
      (1.6, -1, "0:02"), (1.5, 4, "0:01.500"), (3599, 0, "59:59"), (3600, 0, "1:00:00"), (1e9, 1, "277777:46:40.0"),
    ] as [(Double, Int, String)])
  func placesInARecordingAreClockTimes(_ seconds: Double, _ decimals: Int, _ text: String) {
    #expect(clockText(seconds, decimals: decimals) == text)
  }

  @Test func wholeSecondsAreTheDefault() {
    #expect(clockText(291.7) == "4:52")
  }
}
