import DSP
import Testing

@Suite struct PackedFloatsTests {
  /// 0, 1, −2, 65504 and 2⁻²⁴, encoded by Python's struct and base64.
  @Test func readsHalvesInBase64() {
    #expect(PackedFloats("AAAAPADA/3sBAA").values == [0, 1, -2, 65504, 0x1p-24])
    #expect(PackedFloats("").values == [])
  }
}
