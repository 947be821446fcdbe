import AnalysisTesting
import Testing

@testable import AnalysisTasks

@Suite(.bounded) struct MetricFamilyTests {
  /// Escapes of the Prometheus text format: all in labels, all but quotation marks in help.
  @Test func labelsAndHelpAreEscaped() {
    let family = MetricFamily("nocturne_files", "A \\ and a \"\n.", label: "code", [("a\"b\\c\nd", 2)])
    #expect(
      family.text == """
        # HELP nocturne_files A \\\\ and a \"\\n.
        # TYPE nocturne_files gauge
        nocturne_files{code="a\\"b\\\\c\\nd"} 2

        """)
    #expect(MetricFamily("nocturne_files", "None.", []).text == "")
    #expect(MetricFamily("nocturne_s", "Half.", 0.5).text.hasSuffix("\nnocturne_s 0.5\n"))
  }
}
