internal import CZlib
internal import HTTPTypes

/// Compressed bodies (RFC 1952).
enum GzipBody {
  /// - Returns: `nil` if the memory for it is not there.
  static func packed(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // The fastest level makes JSON some eight times smaller; others take twice the time for a tenth more. 16: gzip's header.
    let (level, window, memory) = (Int32(1), Int32(15 + 16), Int32(8))
    guard
      unsafe deflateInit2_(
        &stream, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)
      ) == Z_OK
    else { return nil }
    defer { unsafe deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(unsafe deflateBound(&stream, UInt(bytes.count))))
    let outputCount = output.count
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        return unsafe deflate(&stream, Z_FINISH)
      }
    }
    return status == Z_STREAM_END ? Array(output.prefix(outputCount - Int(stream.avail_out))) : nil
  }

  /// - Parameter limit: Bytes that it may unpack to.
  /// - Throws: `RequestError` if it is damaged or too large.
  static func unpacked(_ bytes: [UInt8], limit: Int) throws(RequestError) -> [UInt8] {
    var stream = z_stream()
    // Automatic detection of the header of gzip or zlib.
    let window = 15 + 32
    guard unsafe inflateInit2_(&stream, Int32(window), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw RequestError(.serviceUnavailable, "The server is short of memory.", retryAfter: 5)
    }
    defer { unsafe inflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: limit + 1)
    let outputCount = output.count
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        return unsafe inflate(&stream, Z_FINISH)
      }
    }
    let count = outputCount - Int(stream.avail_out)
    guard count <= limit else { throw RequestError(.contentTooLarge, "The body unpacks to too many bytes.") }
    guard status == Z_STREAM_END else { throw RequestError(.badRequest, "The body is damaged: it is no gzip.") }
    return Array(output[..<count])
  }
}
