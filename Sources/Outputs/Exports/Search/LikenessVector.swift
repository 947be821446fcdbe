internal import Analysis
internal import Records
internal import Text

/// Audio descriptor as a vector, by which search engines find similar tracks: the smaller the angle between two
/// vectors, the more similar the tracks. Documents have it with `--option vectors=…`; the schema of the engine must
/// state its dimensions.
struct LikenessVector {
  static let field = "likeness"
  static let option = "vectors"
  static let dimensionCount: Int64 = 128

  /// -128 to 127.
  let numbers: [Int64]

  /// `nil` if the track has no descriptor, or one without a direction.
  init?(_ record: FileRecord) {
    guard let found = record.findings[LikenessFinding.self], found.descriptor.count == Self.dimensionCount,
      found.descriptor.contains(where: { $0 != 0 })
    else { return nil }
    numbers = found.descriptor.map { Int64(Int8(bitPattern: $0)) }
  }
}

extension ExportContext {
  /// Kind of vectors in documents; `nil` for none.
  var vectors: String? { options[LikenessVector.option] }

  /// - Throws: `badOption` if the engine has no such vectors.
  func checkVectors(_ kinds: [String]) throws(ExportError) {
    guard let vectors, !kinds.contains(vectors) else { return }
    throw .badOption(LikenessVector.option, value: vectors, expected: kinds.joined(separator: " or "))
  }
}

extension JSONWriter {
  mutating func vector(_ vector: LikenessVector) {
    beginArray()
    for number in vector.numbers { integer(number) }
    endArray()
  }
}
