extension ContainerExtent {
  /// DSF (Sony, DSF file format specification 1.01): chunks with the sizes of the file and the audio. An ID3v2 tag may
  /// follow at the end.
  mutating func readDSF(_ source: ByteSource, at start: Int) throws(FileReadError) {
    let header = try DSFHeader(in: source, at: start)
    guard header.dataSize >= 12, header.dataSize < 1 << 48 else { return }
    var claimed = start + DSFHeader.dataChunkPosition + Int(header.dataSize)
    audioByteCount = Int64(max(0, min(claimed, source.size) - start - DSFHeader.dataChunkPosition - 12))
    if let position = Int(exactly: header.tagOffset), position >= claimed,
      let tag = try ID3v2Header(at: position, in: source)
    {
      claimed = tag.end
    }
    claim(end: claimed, before: source.size, "DSF")
  }

  /// DSDIFF (Philips, version 1.5): a form with a size, which contains the chunks.
  mutating func readDSDIFF(_ source: ByteSource, at start: Int) throws(FileReadError) {
    guard let size = try source.bytes(at: start + 4, count: 8).bigEndian(UInt64.self), size > 0, size < 1 << 48 else {
      return
    }
    claim(end: start + 12 + Int(size), before: source.size, "DSDIFF")
  }
}
