internal import CZlib
internal import HTTPTypes

/// Bodies that clients compress (RFC 1952).
enum GzipBody {
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
