import AudioAnalysis

@testable import TagReading

/// The tags of any file, in every container.
struct TagTarget: FuzzTarget {
  static let name = "tags"

  func run(_ bytes: [UInt8]) throws {
    let finding = try TagReader.read(ByteSource(bytes))
    for (name, values) in finding.fields {
      require(!name.isEmpty && !values.isEmpty, "a field has a name and values: \(name)")
    }
  }
}
