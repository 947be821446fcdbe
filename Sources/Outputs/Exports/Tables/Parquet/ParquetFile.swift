internal import CZlib
package import SystemPackage

/// Writes an Apache Parquet file row by row, with one row group in memory. (Apache Parquet, `README.md`,
/// `parquet.thrift` and `Encodings.md`: data pages of version 1, plain or with a dictionary, compressed with gzip.)
package final class ParquetFile {
  package let file: ExportFile
  private let program: String
  private var columns: [ParquetColumn]
  private var offset = 0
  /// Number of rows in the current row group.
  private var rowCount = 0
  private var groups: [RowGroup] = []

  private struct RowGroup {
    var chunks: [Chunk] = []
    var rowCount: Int
  }

  private struct Chunk {
    var dictionaryOffset: Int?
    var dataOffset: Int
    var valueCount: Int
    /// The size in bytes, including page headers.
    var size = 0
    var compressedSize = 0
  }

  private let groupRows: Int
  private let groupBytes: Int

  /// Maximum number of rows in a row group. Programs that read Parquet process row groups one at a time, and
  /// `ParquetFile` keeps the current one in memory.
  package static let maxGroupRows = 1 << 20
  package static let maxGroupBytes = 32 << 20
  private static let magic = Array("PAR1".utf8)

  /// - Parameters:
  ///   - groupRows: Maximum number of rows in a row group.
  ///   - groupBytes: Approximate maximum size of a row group, in bytes.
  package init(
    _ path: FilePath, _ columns: [ParquetColumn], groupRows: Int = ParquetFile.maxGroupRows,
    groupBytes: Int = ParquetFile.maxGroupBytes, program: String
  ) throws(ExportError) {
    self.columns = columns
    self.groupRows = groupRows
    self.groupBytes = groupBytes
    self.program = program
    file = try ExportFile(path)
    try write(Self.magic)
  }

  /// - Parameter values: A value for each column; `nil` for null.
  package func append(_ values: [ParquetColumn.Value?]) throws(ExportError) {
    for (index, value) in values.enumerated() { columns[index].append(value) }
    rowCount += 1
    let isLarge = rowCount.isMultiple(of: 256) && columns.reduce(0) { $0 + $1.size } >= groupBytes
    if rowCount >= groupRows || isLarge { try writeGroup() }
  }

  package var groupCount: Int { groups.count }

  /// Ends the current row group, so that the next row begins a new one.
  package func endGroup() throws(ExportError) {
    if rowCount > 0 { try writeGroup() }
  }

  /// Writes the remaining rows and the footer. `file` is then complete, and the caller must commit it.
  package func finish() throws(ExportError) {
    try endGroup()
    let footer = ThriftWriter.structure { writeFooter(into: &$0) }
    try write(footer)
    var length: [UInt8] = []
    length.appendLittleEndian(UInt32(footer.count))
    try write(length + Self.magic)
  }

  private func write(_ bytes: [UInt8]) throws(ExportError) {
    try file.write(bytes)
    offset += bytes.count
  }

  // MARK: Row groups

  private func writeGroup() throws(ExportError) {
    var group = RowGroup(rowCount: rowCount)
    for index in columns.indices {
      let taken = columns[index].takeChunk()
      var chunk = Chunk(dataOffset: 0, valueCount: taken.valueCount)
      if let dictionary = taken.dictionary {
        chunk.dictionaryOffset = offset
        try writePage(dictionary.bytes, type: 2, &chunk) {
          $0.structure(7) {
            $0.int32(1, dictionary.count)
            $0.int32(2, Self.plain)
          }
        }
      }
      chunk.dataOffset = offset
      try writePage(taken.data, type: 0, &chunk) {
        $0.structure(5) {
          $0.int32(1, taken.valueCount)
          $0.int32(2, taken.dictionary == nil ? Self.plain : Self.dictionary)
          $0.int32(3, Self.runLengths)
          $0.int32(4, Self.runLengths)
        }
      }
      group.chunks.append(chunk)
    }
    groups.append(group)
    rowCount = 0
  }

  private func writePage(
    _ bytes: [UInt8], type: Int, _ chunk: inout Chunk, _ writeHeader: (inout ThriftWriter) -> Void
  ) throws(ExportError) {
    let compressed = try Self.gzip(bytes)
    let header = ThriftWriter.structure {
      $0.int32(1, type)
      $0.int32(2, bytes.count)
      $0.int32(3, compressed.count)
      writeHeader(&$0)
    }
    try write(header)
    try write(compressed)
    chunk.size += header.count + bytes.count
    chunk.compressedSize += header.count + compressed.count
  }

  private static func gzip(_ bytes: [UInt8]) throws(ExportError) -> [UInt8] {
    var stream = z_stream()
    // With 16 added to the window bits, zlib writes the header of gzip.
    let status = unsafe deflateInit2_(
      &stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw .unavailable("There is not enough memory to compress. Close other programs.") }
    defer { unsafe deflateEnd(&stream) }
    let bound = unsafe Int(deflateBound(&stream, uLong(bytes.count)))
    return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
      bytes.withUnsafeBufferPointer { input in
        unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        _ = unsafe deflate(&stream, Z_FINISH)
      }
      count = output.count - Int(stream.avail_out)
    }
  }

  // MARK: Footer

  // Values of Parquet's enumerations (`parquet.thrift`).
  private static let plain = 0
  private static let runLengths = 3
  private static let dictionary = 8
  private static let gzipCodec = 2

  private func writeFooter(into thrift: inout ThriftWriter) {
    let elements = columns.flatMap { $0.schemaElements() }
    let root: (inout ThriftWriter) -> Void = { [columns] in
      $0.text(4, "schema")
      $0.int32(5, columns.count)
    }
    thrift.int32(1, 1)
    thrift.structures(2, [root] + elements) { $0(&$1) }
    thrift.int64(3, groups.reduce(0) { $0 + $1.rowCount })
    thrift.structures(4, groups) { group, thrift in
      thrift.structures(1, Array(zip(columns, group.chunks))) { Self.write($0.0, $0.1, into: &$1) }
      thrift.int64(2, group.chunks.reduce(0) { $0 + $1.size })
      thrift.int64(3, group.rowCount)
    }
    thrift.text(6, program)
  }

  private static func write(_ column: ParquetColumn, _ chunk: Chunk, into thrift: inout ThriftWriter) {
    thrift.int64(2, chunk.dictionaryOffset ?? chunk.dataOffset)
    thrift.structure(3) {
      $0.int32(1, column.physicalType)
      $0.int32s(2, chunk.dictionaryOffset == nil ? [plain, runLengths] : [plain, runLengths, dictionary])
      $0.texts(3, column.pathInSchema)
      $0.int32(4, gzipCodec)
      $0.int64(5, chunk.valueCount)
      $0.int64(6, chunk.size)
      $0.int64(7, chunk.compressedSize)
      $0.int64(9, chunk.dataOffset)
      if let dictionaryOffset = chunk.dictionaryOffset { $0.int64(11, dictionaryOffset) }
    }
  }
}
