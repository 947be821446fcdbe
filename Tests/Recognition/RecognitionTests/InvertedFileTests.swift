import AnalysisTesting
import Landmarks
import Testing

@testable import Recognition

@Suite(.bounded) struct InvertedFileTests {
  private static func file(landmarks: Int, contextBits: Int? = nil) -> InvertedFile {
    let track = SegmentFormat.Track(
      firstColumn: 0, columnCount: 1_000, landmarkOffset: 0, codeCount: 0, landmarkCount: UInt32(landmarks),
      firstBlock: 0, itemLength: 0, itemOffset: 0, identifierHigh: 0, identifierLow: 0)
    return InvertedFile([track], codes: { _ in [] }, contextBits: contextBits)
  }

  /// Lists are divided once more when there are six landmarks for each of the resulting lists.
  @Test(arguments: 1...8) func listsAreDividedWhenTheyAreLong(bits: Int) {
    let enough = 6 * LandmarkPair.keyCount << bits
    #expect(Self.file(landmarks: enough).contextBits == bits)
    #expect(Self.file(landmarks: enough - 1).contextBits == bits - 1)
  }

  @Test func divisionHasALimit() {
    #expect(Self.file(landmarks: 6 * LandmarkPair.keyCount << 9).contextBits == 8)
    #expect(Self.file(landmarks: 0).contextBits == 0)
    // A given number counts, whatever the number of landmarks.
    for bits in [0, 3, 8] { #expect(Self.file(landmarks: 1 << 24, contextBits: bits).contextBits == bits) }
  }

  /// The landmarks of all tracks count together.
  @Test func tracksCountTogether() {
    var half = SegmentFormat.Track(
      firstColumn: 0, columnCount: 1_000, landmarkOffset: 0, codeCount: 0,
      landmarkCount: UInt32(6 * LandmarkPair.keyCount), firstBlock: 0, itemLength: 0, itemOffset: 0,
      identifierHigh: 0, identifierLow: 0)
    let first = half
    half.firstColumn = 2_000
    #expect(InvertedFile([first], codes: { _ in [] }).contextBits == 0)
    #expect(InvertedFile([first, half], codes: { _ in [] }).contextBits == 1)
  }

  /// Large catalogs are sorted in slices of bands with at most six million landmarks, to limit memory.
  @Test func slicesHoldSixMillionLandmarks() {
    // Two equal bytes are the code of a landmark in the same column, in the band at their place here.
    let bands = [0, 119, 100, 81, 62, 43, 24, 5]
    let million = 1 << 20
    let chosen = [0, 43, 5, 43, 0, 43, 62, 43, 5, 24, 43, 0, 43, 5]
    let codes = Dictionary(
      uniqueKeysWithValues: Set(chosen).map { band in
        (band, [UInt8](repeating: UInt8(bands.firstIndex(of: band) ?? 0), count: 2 * million))
      })
    let tracks = chosen.indices.map { index in
      SegmentFormat.Track(
        firstColumn: UInt32(1_000 * index), columnCount: 700, landmarkOffset: 0, codeCount: UInt32(million),
        landmarkCount: UInt32(million), firstBlock: 0, itemLength: 0, itemOffset: 0, identifierHigh: 0,
        identifierLow: 0)
    }
    // Three, three, one, six and one million, in the order of the bands.
    let file = InvertedFile(tracks, codes: { codes[chosen[$0]] ?? [] })
    #expect(file.slices == [0..<24, 24..<43, 43..<62, 62..<138])
    let few = InvertedFile(Array(tracks[..<6]), codes: { codes[chosen[$0]] ?? [] })
    #expect(few.slices == [0..<138])
  }

  /// Each bit divides the postings of a key, and loses none.
  @Test func dividedListsHaveTheSamePostings() throws {
    let signature = Catalogs.references[0].signature
    let track = SegmentFormat.Track(
      firstColumn: 0, columnCount: UInt32(signature.columnCount), landmarkOffset: 0, codeCount: 0,
      landmarkCount: 100, firstBlock: 0, itemLength: 0, itemOffset: 0, identifierHigh: 0, identifierLow: 0)
    let bands = 0..<12
    func postings(_ bits: Int) -> [[UInt32]] {
      let file = InvertedFile([track], codes: { _ in signature.bodyBytes }, contextBits: bits)
      let slice = file.slice(ofBands: bands, codes: { _ in signature.bodyBytes })
      #expect(slice.lists.count == (LandmarkPair.keyCount / LandmarkSpectrum.bandCount * bands.count) << bits)
      return slice.lists.map { Array(slice.postings(ofList: $0)) }
    }
    let whole = postings(0)
    #expect(whole.contains { $0.count > 1 })
    let divided = postings(2)
    #expect(divided.contains { !$0.isEmpty } && divided != whole)
    for key in whole.indices where !whole[key].isEmpty {
      #expect(divided[4 * key..<4 * key + 4].flatMap(\.self).sorted() == whole[key].sorted())
    }
  }
}
