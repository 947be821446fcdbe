import AnalysisTesting
import DSP
import Testing

@Suite(.bounded) struct WeightFilesTests {
  /// 0, 1, −2, 65504 and 2⁻²⁴, as written by Python's struct.
  @Test func readsHalves() {
    let bytes: [UInt8] = [0, 0, 0, 0x3C, 0, 0xC0, 0xFF, 0x7B, 1, 0]
    #expect(bytes.withUnsafeBytes { floats(ofHalves: $0) } == [0, 1, -2, 65504, 0x1p-24])
    // The data may start at any address.
    #expect(bytes.dropFirst(2).dropLast(2).withUnsafeBytes { floats(ofHalves: $0) } == [1, -2, 65504])
    #expect([UInt8]().withUnsafeBytes { floats(ofHalves: $0) } == [])
  }

  @Test func readsTables() {
    let text = "# Written by a script\n# name\tnumbers\nb\t-0.25\t1e-07\na.b\t3\n"
    let table = Array(text.utf8).withUnsafeBytes { NumberTable($0) }
    #expect(table.names == ["b", "a.b"])
    #expect(table["b"] == [-0.25, 1e-7])
    #expect(table.number("a.b") == 3)
    #expect(table["c"] == nil)
  }
}
