import Analysis
import AnalysisTesting
import Testing

@testable import TagReading

/// Modules, built from the formats' documents, with messages in the names.
@Suite(.bounded) struct TrackerTests {
  private static func text(_ text: String, _ count: Int) -> Bytes {
    Bytes((Bytes(text.utf8) + Bytes(repeating: 0, count: count)).prefix(count))
  }

  /// 31 samples.
  private static let mod: Bytes = {
    var bytes = text("module", 20)
    for index in 0..<31 { bytes += text(index < 2 ? "line \(index)" : "", 22) + Bytes(repeating: 0, count: 8) }
    return bytes + Bytes(repeating: 0, count: 130) + "M.K." + Bytes(repeating: 0, count: 1_024)
  }()

  /// Two patterns in order, and two samples at paragraphs of 16 bytes.
  private static let s3m: Bytes = {
    var bytes = text("module", 28) + [0x1A, 16, 0, 0] + little(2, 2) + little(2, 2) + little(0, 8)
    bytes += "SCRM" + Bytes(repeating: 0, count: 48) + [0, 255]
    let table = bytes.count
    bytes += little(8, 2) + little(13, 2)
    bytes += Bytes(repeating: 0, count: 128 - table - 4)
    for index in 0..<2 { bytes += Bytes(repeating: 1, count: 48) + text("line \(index)", 28) + "SCRS" }
    return bytes
  }()

  /// An instrument, a sample and a message.
  private static let it: Bytes = {
    var bytes = "IMPM" + text("module", 26) + [0, 0] + little(1, 2) + little(1, 2) + little(1, 2) + little(0, 8)
    bytes += little(1, 2) + Bytes(repeating: 0, count: 6) + little(9, 2) + little(0, 4)
    bytes += Bytes(repeating: 0, count: 192 - bytes.count) + [255]
    let start = bytes.count + 8
    bytes += little(start, 4) + little(start + 58, 4)
    bytes += "IMPI" + Bytes(repeating: 0, count: 28) + text("line 0", 26)
    bytes += "IMPS" + Bytes(repeating: 0, count: 16) + text("line 1", 26)
    bytes.replaceSubrange(56..<60, with: little(bytes.count, 4))
    return bytes + "line 2\rx\0"
  }()

  /// A pattern, an instrument with a sample, and one without.
  private static let xm: Bytes = {
    var bytes = "Extended Module: " + text("module", 20) + [0x1A] + text("Tracker", 20) + little(0x104, 2)
    bytes += little(276, 4) + little(1, 2) + little(0, 2) + little(4, 2) + little(1, 2) + little(2, 2)
    bytes += Bytes(repeating: 0, count: 60 + 276 - bytes.count)
    bytes += little(9, 4) + [0] + little(64, 2) + little(5, 2) + Bytes(repeating: 7, count: 5)
    bytes += little(263, 4) + text("line 0", 22) + [0] + little(1, 2) + little(40, 4)
    bytes += Bytes(repeating: 0, count: 263 - 33)
    bytes += little(6, 4) + Bytes(repeating: 0, count: 14) + text("line 2", 22) + Bytes(repeating: 9, count: 6)
    return bytes + little(29, 4) + text("line 1", 22) + [0] + little(0, 2)
  }()

  static let modules: [(format: String, bytes: Bytes, comment: String, tracker: String)] = [
    ("mod", mod, "line 0\nline 1", "ProTracker"), ("s3m", s3m, "line 0\nline 1", "ScreamTracker III"),
    ("it", it, "line 0\nline 1\nline 2\nx", "Impulse Tracker"), ("xm", xm, "line 0\nline 1\nline 2", "Tracker"),
  ]

  @Test(arguments: modules.indices) func names(index: Int) throws {
    let module = Self.modules[index]
    let finding = try read(module.bytes)
    #expect(finding.formats == [module.format])
    #expect(
      finding.fields == ["title": ["module"], "comment": [module.comment], "other:tracker": [module.tracker]])
    #expect(finding.remarks == [])
  }

  /// The remaining part is read.
  @Test(arguments: modules.indices) func truncation(index: Int) throws {
    let module = Self.modules[index]
    for length in stride(from: 60, to: module.bytes.count, by: 13) {
      let finding = try read(Array(module.bytes.prefix(length)))
      #expect(finding.fields["title"] == ["module"] || finding.formats.isEmpty)
    }
    // The names of MOD files are at the start.
    if module.format != "mod" { #expect(try read(module.bytes.dropLast(20)).remarks.count == 1) }
  }

  /// All numbers at their maximum.
  @Test(arguments: modules.indices) func lies(index: Int) throws {
    for position in 20..<min(Self.modules[index].bytes.count, 340) {
      var bytes = Self.modules[index].bytes
      bytes.replaceSubrange(position..<min(position + 4, bytes.count), with: Bytes(repeating: 0xFF, count: 4))
      _ = try read(bytes)
    }
  }
}
