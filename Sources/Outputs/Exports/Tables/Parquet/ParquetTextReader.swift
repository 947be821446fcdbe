internal import CZlib
package import SystemPackage

/// Reads one text column of a Parquet file, page by page. Supports the output of `pipelines/spark/analyze_job.py` and
/// `ParquetFile`: a required column in plain data pages of version 1, uncompressed or compressed with gzip. Anything
/// else is rejected with an error that names it. (Apache Parquet, `README.md`, `parquet.thrift` and `Encodings.md`.)
package struct ParquetTextReader {
  /// The reason a file cannot be read, as a sentence.
  package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    fileprivate init(_ description: String) {
      self.description = description
    }

    fileprivate static let damaged = Refusal("The Parquet file is damaged.")
  }

  private struct Chunk {
    var start: Int
    var codec: Int
    var valueCount: Int
  }

  private let file: FileDescriptor
  private var chunks: ArraySlice<Chunk> = []
  /// Offset of the next page in the file.
  private var offset = 0
  /// Number of values left in the current chunk.
  private var valuesLeft = 0
  private var codec = 0
  private var page: [UInt8] = []
  private var position = 0
  private var pageValuesLeft = 0

  private static let magic = Array("PAR1".utf8)
  /// Maximum size of a page in bytes. Programs begin a new page after about a megabyte.
  private static let maxPageSize = 1 << 28
  /// Maximum size of the footer in bytes.
  private static let maxFooterSize = 1 << 26
  private static let headerSize = 1 << 12

  /// Returns whether a regular file begins like a Parquet file. The file offset of the descriptor stays the same.
  package static func isParquet(_ file: FileDescriptor) -> Bool {
    (try? bytes(of: file, at: 0, count: magic.count)) == magic
  }

  /// - Parameter file: The file, which stays open. It is read at absolute offsets.
  package init(_ file: FileDescriptor, column name: String) throws {
    self.file = file
    let size = Int(try file.seek(offset: 0, from: .end))
    guard size >= 12 else { throw Refusal.damaged }
    let tail = try Self.bytes(of: file, at: size - 8, count: 8)
    let length = Int(Self.length(tail, at: 0))
    guard tail[4...].elementsEqual(Self.magic), length <= min(size - 12, Self.maxFooterSize) else {
      throw Refusal("The Parquet file has no footer; it may be truncated.")
    }
    var reader = ThriftReader(try Self.bytes(of: file, at: size - 8 - length, count: length))
    guard let footer = try? reader.structure() else { throw Refusal.damaged }
    guard let column = footer.structures(2).first(where: { $0.text(4) == name }) else {
      throw Refusal("The Parquet file has no column \(name).")
    }
    guard column.integer(1) == 6, column.integer(3) == 0 else {
      throw Refusal("The column \(name) of the Parquet file must hold texts and no nulls.")
    }
    for group in footer.structures(4) { chunks.append(try Self.chunk(of: group, name)) }
  }

  private static func chunk(of group: [Int: ThriftReader.Value], _ name: String) throws -> Chunk {
    for column in group.structures(1) {
      guard let facts = column.structure(3), case .list(let path)? = facts[3], path.count == 1,
        case .bytes(let last) = path[0], last.elementsEqual(name.utf8)
      else { continue }
      guard let codec = facts.integer(4), let count = facts.integer(5), let start = facts.integer(9), start > 0 else {
        throw Refusal.damaged
      }
      guard facts.integer(11) == nil || facts.integer(11) == 0 else {
        throw Refusal("The column \(name) of the Parquet file uses a dictionary; write it without one.")
      }
      guard codec == 0 || codec == 2 else {
        throw Refusal("The Parquet file uses an unsupported compression; use gzip or none.")
      }
      return Chunk(start: start, codec: codec, valueCount: count)
    }
    throw Refusal.damaged
  }

  /// Returns the bytes of the next text; `nil` at the end.
  package mutating func next() throws -> [UInt8]? {
    while pageValuesLeft == 0 {
      guard valuesLeft == 0 else {
        try readPage()
        continue
      }
      guard let chunk = chunks.popFirst() else { return nil }
      (offset, codec, valuesLeft) = (chunk.start, chunk.codec, chunk.valueCount)
    }
    guard page.count - position >= 4 else { throw Refusal.damaged }
    let length = Int(Self.length(page, at: position))
    position += 4
    guard length <= page.count - position else { throw Refusal.damaged }
    defer { position += length }
    pageValuesLeft -= 1
    return Array(page[position..<position + length])
  }

  private mutating func readPage() throws {
    let head = try Self.bytes(of: file, at: offset, count: Self.headerSize)
    var reader = ThriftReader(head)
    guard let header = try? reader.structure(), let size = header.integer(2), let compressed = header.integer(3),
      (0...Self.maxPageSize).contains(size), (0...Self.maxPageSize).contains(compressed)
    else { throw Refusal.damaged }
    guard header.integer(1) == 0, let data = header.structure(5), data.integer(2) == 0, let count = data.integer(1)
    else {
      throw Refusal("The Parquet file has unsupported pages; write plain ones of version 1.")
    }
    guard count > 0, count <= valuesLeft else { throw Refusal.damaged }
    let bytes = try Self.bytes(of: file, at: offset + reader.position, count: compressed)
    guard bytes.count == compressed else { throw Refusal.damaged }
    page = codec == 0 ? bytes : try Self.inflated(bytes, size: size)
    guard page.count == size else { throw Refusal.damaged }
    position = 0
    pageValuesLeft = count
    valuesLeft -= count
    offset += reader.position + compressed
  }

  private static func inflated(_ bytes: [UInt8], size: Int) throws -> [UInt8] {
    var stream = z_stream()
    // With 32 added to the window bits, zlib accepts the headers of gzip and zlib.
    guard unsafe inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw Errno.noMemory
    }
    defer { unsafe inflateEnd(&stream) }
    var status = Z_OK
    let output = [UInt8](unsafeUninitializedCapacity: size) { output, count in
      bytes.withUnsafeBufferPointer { input in
        unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        stream.avail_out = UInt32(size)
        status = unsafe inflate(&stream, Z_FINISH)
      }
      count = size - Int(stream.avail_out)
    }
    guard status == Z_STREAM_END else { throw Refusal.damaged }
    return output
  }

  /// Reads bytes at an offset. Returns fewer at the end of the file.
  private static func bytes(of file: FileDescriptor, at offset: Int, count: Int) throws -> [UInt8] {
    guard offset >= 0 else { throw Refusal.damaged }
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = try bytes.withUnsafeMutableBytes {
        unsafe try file.read(
          fromAbsoluteOffset: Int64(offset + filled), into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
      }
      if read == 0 { break }
      filled += read
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  private static func length(_ bytes: [UInt8], at position: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32(8 * $1) }
  }
}
