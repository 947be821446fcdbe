
import Analysis
import MediaContainers

@testable import TagReading

/// The tags of any file, in every container.
struct TagTarget: FuzzTarget {
  static let name = "tags"

  func run(_ bytes: [UInt8]) throws {
    let finding = try TagReader.read(ByteSource(bytes))
    for (name, values) in finding.fields {
      require(!name.isEmpty && !values.isEmpty, "a field has a name and values: \(name)")
    }
    let times = finding.chapters.map(\.startSeconds) + finding.lyrics.flatMap { $0.lines.map(\.seconds) }
    require(times.allSatisfy { $0.isFinite && $0 >= 0 }, "chapters and lines have times: \(times)")
  }
}
