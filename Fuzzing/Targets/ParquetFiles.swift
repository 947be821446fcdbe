import SystemPackage

@testable import Exports

/// Parquet files with the answers of workers, as `analyze merge` reads them. The first byte of an input says what follows: 0 a
/// whole file; 1 texts that end with NUL, which are written and read again; anything else a page that is not compressed, in a file
/// whose headers are right.
struct ParquetTarget: FuzzTarget {
  static let name = "parquet"
  private static let column = "answer"
  private static let answers = [#"{"key": "1"}"#, "", String(repeating: "é", count: 300)]

  private let file: MemoryFile
  private let folder: ScratchFolder

  static func seeds() throws -> [[UInt8]] {
    let page = plainPage(answers)
    let whole = uncompressed(page, count: answers.count)
    let compressed = try written(answers, groupRows: 2, in: ScratchFolder())
    return [[0] + whole, [0] + compressed, [1] + Array(answers.joined(separator: "\0").utf8), [3] + page]
  }

  init() throws {
    file = try MemoryFile()
    folder = try ScratchFolder()
  }

  func run(_ bytes: [UInt8]) throws {
    guard let mode = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    switch mode {
    case 0: _ = try texts(rest)
    case 1:
      let texts = rest.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
      let again = try self.texts(Self.written(texts, groupRows: 3, in: folder))
      require(again == texts.map { Array($0.utf8) }, "texts are read as they were written")
    default:
      let found = try texts(Self.uncompressed(rest, count: Int(mode)))
      require(found.count == Int(mode), "a page has as many texts as it says")
      require(rest.starts(with: found.flatMap(Self.plain)), "texts are those of the page")
    }
  }

  private func texts(_ bytes: [UInt8]) throws -> [[UInt8]] {
    try file.hold(bytes)
    let descriptor = try FileDescriptor.open(file.path, .readOnly)
    defer { try? descriptor.close() }
    guard ParquetTextReader.isParquet(descriptor) else { return [] }
    var reader = try ParquetTextReader(descriptor, column: Self.column)
    var texts: [[UInt8]] = []
    while let text = try reader.next() { texts.append(text) }
    return texts
  }

  private static func written(_ texts: [String], groupRows: Int, in folder: ScratchFolder) throws -> [UInt8] {
    let path = folder.path.appending("answers.parquet")
    let columns = [ParquetColumn(column, .text, isRequired: true)]
    let parquet = try ParquetFile(path, columns, groupRows: groupRows, program: "fuzz")
    for text in texts { try parquet.append([.text(text)]) }
    try parquet.finish()
    _ = try ExportFile.commit([parquet.file])
    let descriptor = try FileDescriptor.open(path, .readOnly)
    return try descriptor.closeAfter {
      var bytes = [UInt8](repeating: 0, count: Int(try descriptor.seek(offset: 0, from: .end)))
      _ = try bytes.withUnsafeMutableBytes { try descriptor.read(fromAbsoluteOffset: 0, into: $0) }
      return bytes
    }
  }

  private static func plain(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(UInt32(text.count))
    return bytes + text
  }

  private static func plainPage(_ texts: [String]) -> [UInt8] { texts.flatMap { plain(Array($0.utf8)) } }

  /// A file with one page of one column.
  private static func uncompressed(_ page: [UInt8], count: Int) -> [UInt8] {
    let header = ThriftWriter.structure {
      $0.int32(1, 0)
      $0.int32(2, page.count)
      $0.int32(3, page.count)
      $0.structure(5) {
        $0.int32(1, count)
        $0.int32(2, 0)
      }
    }
    let footer = ThriftWriter.structure {
      $0.structures(2, [column]) {
        $1.int32(1, 6)
        $1.int32(3, 0)
        $1.text(4, $0)
      }
      $0.structures(4, [column]) { name, group in
        group.structures(1, [name]) {
          $1.structure(3) {
            $0.texts(3, [name])
            $0.int32(4, 0)
            $0.int64(5, count)
            $0.int64(9, 4)
          }
        }
      }
    }
    var file = Array("PAR1".utf8) + header + page + footer
    file.appendLittleEndian(UInt32(footer.count))
    return file + Array("PAR1".utf8)
  }
}
