import AnalysisTesting
import Foundation
import Platform
import Records
import SystemPackage
import Testing

@testable import Pipeline

@Suite(.bounded) struct StreamingTests {
  /// Computed with the reference implementation: shards never change, on any machine.
  @Test(arguments: [
    ("a", [1, 2, 3, 3, 5, 1], 23), ("/music/a.flac", [1, 2, 3, 1, 5, 3], 311),
    ("/music/Étude.mp3", [1, 1, 1, 1, 1, 2], 81),
    ("s3://bucket/key", [0, 1, 2, 3, 4, 1], 678), ("", [1, 0, 3, 4, 3, 5], 839),
  ])
  func shardsArePinned(key: String, shards: [Int], ofThousand: Int) throws {
    for (count, shard) in zip(2...7, shards) { #expect(Shard.index(of: Array(key.utf8), count: count) == shard) }
    #expect(try Shard("\(ofThousand)/1000").contains(Array(key.utf8)))
    #expect(try Shard("0/1").contains(Array(key.utf8)))
  }

  @Test func linesAreReadWhole() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("lines")
    let long = String(repeating: "x", count: 150_000)
    try Data("a\n\n\(long)\nb\r\n\(long.prefix(100))\nlast".utf8).write(to: URL(filePath: path.string))
    let file = try FileDescriptor.open(path, .readOnly)
    defer { try? file.close() }
    var reader = LineReader(reading: file, limit: 100)
    var lines: [LineReader.Line] = []
    while let line = try reader.next() { lines.append(line) }
    let expected: [LineReader.Line] = [
      .text(Array("a".utf8)), .text([]), .tooLong(Array(long.utf8.prefix(200))), .text(Array("b\r".utf8)),
      .text(Array(long.utf8.prefix(100))), .text(Array("last".utf8)),
    ]
    #expect(lines == expected)
  }

  @Test func namesWithColonsAreNotURIs() {
    for (line, path) in [
      ("AC:DC/a.wav", "/w/AC:DC/a.wav"), ("1: x.wav", "/w/1: x.wav"), ("file:x.wav", "/w/file:x.wav"),
      ("/a//b/../c", "/a/c"),
      ("a?b#c%20.wav", "/w/a?b#c%20.wav"), ("file:///a?b#c%25", "/a?b#c%"),
    ] {
      #expect(FileRequest(line: Array(line.utf8), workingFolder: "/w").target == .success(.file(FilePath(path))))
    }
  }
}
