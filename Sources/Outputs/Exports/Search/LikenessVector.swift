internal import Analysis
internal import Records
internal import Text

/// An audio descriptor as a vector, by which search engines find similar tracks. The smaller the angle between two
/// vectors, the more similar the tracks. Documents contain the vector if `--option vectors=…` is given. The schema of
/// the engine must state the number of dimensions.
struct LikenessVector {
  static let field = "likeness"
  static let option = "vectors"
  static let dimensionCount: Int64 = 128

  /// Numbers from -128 to 127.
  let numbers: [Int64]

  /// Returns `nil` if the track has no descriptor, or if all numbers in the descriptor are zero, so that the vector has
  /// no direction.
  init?(_ record: FileRecord) {
    guard let found = record.findings[LikenessFinding.self], found.descriptor.count == Self.dimensionCount,
      found.descriptor.contains(where: { $0 != 0 })
    else { return nil }
    numbers = found.descriptor.map { Int64(Int8(bitPattern: $0)) }
  }
}

extension ExportContext {
  /// The kind of vectors in documents; `nil` for none.
  var vectors: String? { options[LikenessVector.option] }

  /// - Throws: `badOption` if the engine does not support this kind of vector.
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
