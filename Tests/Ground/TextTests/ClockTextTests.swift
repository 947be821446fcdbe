import Testing
import Text

@Suite struct ClockTextTests {
  @Test(
    arguments: [
      (0, 0, "0:00"), (59.6, 0, "1:00"), (291, 0, "4:51"), (3723, 0, "1:02:03"), (87.352, 2, "1:27.35"),
      (59.999, 2, "1:00.00"),
      (3599.9996, 3, "1:00:00.000"), (-3, 0, "0:00"), (.nan, 0, "0:00"), (.infinity, 0, "277777:46:40"),
      (1.04, 1, "0:01.0"),
    ] as [(Double, Int, String)])
  func placesInARecordingAreClockTimes(_ seconds: Double, _ decimals: Int, _ text: String) {
    #expect(clockText(seconds, decimals: decimals) == text)
  }
}
