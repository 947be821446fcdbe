internal import Analysis
internal import Records
internal import Text

/// The descriptor of sound as a vector, by which search engines find tracks that sound alike: the nearer its angle to that of
/// another, the more alike. Documents have it with `--option vectors=…`; the schema of the engine must know its dimensions.
struct SoundVector {
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
  /// The kind of vectors that documents are to have; `nil` if they are to have none.
  var vectors: String? { options[SoundVector.option] }

  /// - Throws: `badOption` if these are no vectors of the engine.
  func checkVectors(_ kinds: [String]) throws(ExportError) {
    guard let vectors, !kinds.contains(vectors) else { return }
    throw .badOption(SoundVector.option, value: vectors, expected: kinds.joined(separator: " or "))
  }
}

extension JSONWriter {
  mutating func vector(_ vector: SoundVector) {
    beginArray()
    for number in vector.numbers { integer(number) }
    endArray()
  }
}
