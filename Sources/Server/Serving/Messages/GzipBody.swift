internal import CZlib
internal import HTTPTypes

/// Compressed bodies (RFC 1952).
enum GzipBody {
  /// - Returns: `nil` if there is not enough memory.
  static func packed(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // The fastest level makes JSON about eight times smaller. Slower levels take twice the time to save another tenth.
    // Adding 16 to the window selects a gzip header.
    let (level, window, memory) = (Int32(1), Int32(15 + 16), Int32(8))
    guard
      unsafe deflateInit2_(
        &stream, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)
      ) == Z_OK
    else { return nil }
    defer { unsafe deflateEnd(&stream) }
    let limit = Int(unsafe deflateBound(&stream, UInt(bytes.count)))
    let (status, output) = run(&stream, over: bytes, limit: limit) { unsafe deflate($0, Z_FINISH) }
    return status == Z_STREAM_END ? output : nil
  }

  /// - Parameter limit: Maximum number of bytes in the result.
  /// - Throws: `RequestError` if the body is damaged or too large.
  static func unpacked(_ bytes: [UInt8], limit: Int) throws(RequestError) -> [UInt8] {
    var stream = z_stream()
    // Adding 32 enables automatic detection of gzip and zlib headers.
    let window = 15 + 32
    guard unsafe inflateInit2_(&stream, Int32(window), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw RequestError(.serviceUnavailable, "The server is short of memory.", retryAfter: 5)
    }
    defer { unsafe inflateEnd(&stream) }
    let (status, output) = run(&stream, over: bytes, limit: limit + 1) { unsafe inflate($0, Z_FINISH) }
    guard output.count <= limit else { throw RequestError(.contentTooLarge, "The decompressed body is too large.") }
    guard status == Z_STREAM_END else { throw RequestError(.badRequest, "The body is damaged: it is not valid gzip.") }
    return output
  }

  /// Runs zlib on `bytes`, with an output of at most `limit` bytes.
  private static func run(
    _ stream: inout z_stream, over bytes: [UInt8], limit: Int, _ step: (UnsafeMutablePointer<z_stream>) -> Int32
  ) -> (status: Int32, output: [UInt8]) {
    var input = bytes
    var status = Z_OK
    let output = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
      input.withUnsafeMutableBufferPointer { input in
        unsafe stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        stream.avail_out = UInt32(limit)
        status = unsafe step(&stream)
      }
      count = limit - Int(stream.avail_out)
    }
    return (status, output)
  }
}
