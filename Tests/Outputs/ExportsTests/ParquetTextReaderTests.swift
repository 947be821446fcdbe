import AnalysisTesting
import Exports
import Foundation
import SystemPackage
import Testing

/// Texts from Parquet files: output of `pipelines/spark/analyze_job.py`, of this program, and damaged files.
@Suite(.bounded) struct ParquetTextReaderTests {
  private func texts(_ bytes: [UInt8], column: String = "answer") throws -> [String] {
    let folder = try TemporaryDirectory()
    let file = try FileDescriptor.open(try folder.write(bytes, as: "a.parquet"), .readOnly)
    defer { try? file.close() }
    guard ParquetTextReader.isParquet(file) else { return [] }
    var reader = try ParquetTextReader(file, column: column)
    var texts: [String] = []
    while let text = try reader.next() { texts.append(String(decoding: text, as: UTF8.self)) }
    return texts
  }

  /// Three answers as written by pyarrow with the settings of the job: one JSON, one empty, one of 200 bytes.
  private static let fromSpark = Array(
    Data(
      base64Encoded: """
        UEFSMRUAFTAVNCwVBhUAFQYVBhwAAAAfiwgAAAAAAAIDY2aAAGY0GgAZ0JhcGAAAABUAFSQVQCwVBhUAFQYVBhwAAAAfiwgAAAAAAAIDY2JgYMg2
        YAKRhmDSCABWM+vKEgAAABUAFU4VSCwVBhUAFQYVBhwAAAAfiwgAAAAAAAID42RgYEjLzEm10tfXT+TEyQEATkjx2ScAAAAVABUkFTgsFQYVABUG
        FQYcAAAAH4sIAAAAAAACA2NiYGDIz2ZCIgHIoDBIEgAAABUAFQwVNCwVBhUAFQYVBhwAAAAfiwgAAAAAAAIDY2JgYGBjAAAup1CqBgAAABUAFQwV
        NCwVBhUAFQYVBhwAAAAfiwgAAAAAAAIDY2JgYGBjAAAup1CqBgAAABUAFQIVKiwVBhUAFQYVBhwAAAAfiwgAAAAAAAIDYwAAje8C0gEAAAAVABUw
        FTgsFQYVABUGFQYcAAAAH4sIAAAAAAACA2NgAIEH9gxoNAAAoGM7GAAAABUAFTAVNCwVBhUAFQYVBhwAAAAfiwgAAAAAAAIDY2SAAEY0GgAIPiZA
        GAAAABUAFR4VNiwVBhUAFQYVBhwAAAAfiwgAAAAAAAIDY2RgYMhghBMAoYlT8Q8AAAAVABW4AxVaLBUGFQAVBhUGHAAAAB+LCAAAAAAAAgPjYGBg
        qFZKVLJSMKwFMhlOAHFyYtrhlcOAAADkyZ9d3AAAABUEGcw1ABgGc2NoZW1hFRYAFQQlABgJcGFydGl0aW9uABUMJQAYA2tleSUATBwAAAAVDCUA
        GAN1cmklAEwcAAAAFQwlABgGc3RhdHVzJQBMHAAAABUMJQIYCmVycm9yX2NvZGUlAEwcAAAAFQwlAhgNZXJyb3JfbWVzc2FnZSUATBwAAAAVACUA
        GAdjaGFuZ2VkABUKJQAYB3NlY29uZHMAFQQlABgIYXR0ZW1wdHMAFQwlABgEaG9zdCUATBwAAAAVDCUAGAZhbnN3ZXIAFgYZHBm8JgAcFQQZJQYA
        GRgJcGFydGl0aW9uFQQWBhZWFlomCEkcFQAVABUCAAAAJgAcFQwZJQYAGRgDa2V5FQQWBhZKFmYmYkkcFQAVABUCADwWDBkGGQYAAAAmABwVDBkl
        BgAZGAN1cmkVBBYGFnQWbibIAUkcFQAVABUCADwWNhkGGQYAAAAmABwVDBklBgAZGAZzdGF0dXMVBBYGFkoWXia2AkkcFQAVABUCADwWDBkGGQYA
        AAAmABwVDBklBgAZGAplcnJvcl9jb2RlFQQWBhYyFlomlANJHBUAFQAVAgA8FgAZBhkmBgAAAAAmABwVDBklBgAZGA1lcnJvcl9tZXNzYWdlFQQW
        BhYyFlom7gNJHBUAFQAVAgA8FgAZBhkmBgAAAAAmABwVABklBgAZGAdjaGFuZ2VkFQQWBhYoFlAmyARJHBUAFQAVAgAAACYAHBUKGSUGABkYB3Nl
        Y29uZHMVBBYGFlYWXiaYBUkcFQAVABUCAAAAJgAcFQQZJQYAGRgIYXR0ZW1wdHMVBBYGFlYWWib2BUkcFQAVABUCAAAAJgAcFQwZJQYAGRgEaG9z
        dBUEFgYWRBZcJtAGSRwVABUAFQIAPBYGGQYZBgAAACYAHBUMGSUGABkYBmFuc3dlchUEFgYW4AMWggEmrAdJHBUAFQAVAgA8FqADGQYZBgAAABa6
        CRYGJggWpggAGRwYCG5vY3R1cm5lGBB7InBsYW5faWQiOiAicCJ9ABggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZvBwAABwAABwA
        ABwAABwAABwAABwAABwAABwAABwAABwAAABDAwAAUEFSMQ==
        """.filter { !$0.isWhitespace }) ?? Data())

  @Test func answersOfTheJobAreRead() throws {
    #expect(try texts(Self.fromSpark) == [#"{"a": 1}"#, "", String(repeating: "café", count: 40)])
    #expect(try texts(Self.fromSpark, column: "key") == ["k0", "k1", "k2"])
  }

  @Test func otherColumnsAreRefusedByName() {
    for (column, reason) in [("none", "no column none"), ("seconds", "must hold texts"), ("error_code", "no nulls")] {
      do {
        _ = try texts(Self.fromSpark, column: column)
        Issue.record("\(column) was read")
      } catch {
        #expect("\(error)".contains(reason), "\(error)")
      }
    }
  }

  @Test(arguments: [1, 3, 100, 10_000])
  func whatIsWrittenHereIsRead(groupRows: Int) throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("a.parquet")
    var random = SplitMix64(seed: 4)
    let words = (0..<500).map { number in
      String(repeating: number.isMultiple(of: 3) ? "ü" : "x", count: Int.random(in: 0...300, using: &random))
    }
    let written = try ParquetFile(
      path, [ParquetColumn("n", .integer), ParquetColumn("answer", .text, isRequired: true)], groupRows: groupRows,
      program: "test")
    for (number, word) in words.enumerated() {
      try written.append([number.isMultiple(of: 2) ? nil : .integer(Int64(number)), .text(word)])
    }
    try written.finish()
    _ = try ExportFile.commit([written.file])
    #expect(try texts(Array(Data(contentsOf: URL(filePath: path.string)))) == words)
  }

  /// Every truncation and many changed bytes give an error or other texts, never a crash.
  @Test func damageIsAnError() throws {
    let whole = Self.fromSpark
    for length in 0..<whole.count {
      #expect((try? texts(Array(whole.prefix(length)))) ?? [] == [], "\(length)")
    }
    var random = SplitMix64(seed: 5)
    for _ in 0..<3_000 {
      var bytes = whole
      for _ in 0...Int.random(in: 0...3, using: &random) {
        bytes[Int.random(in: 4..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? texts(bytes)
    }
  }
}
