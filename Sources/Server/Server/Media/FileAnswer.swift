internal import HTTPTypes
internal import Hummingbird
internal import LibraryTasks
internal import NIOCore
internal import Platform
internal import Serving

/// A response that contains a file, or the part of it that was requested (RFC 9110, sections 13 and 14).
struct FileAnswer {
  let file: OpenFile
  let contentType: String
  /// The file name under which clients save the file.
  let name: String
  /// `true` to offer the file for download rather than playback.
  var isAttachment = false

  /// Number of bytes read at a time. For a slow client, only a few blocks of this size are in memory.
  private static let blockSize = 1 << 17

  func response(to request: Request, _ services: Services) -> Response {
    var headers = headers
    let requested = request.headers
    if isKnown(to: requested) { return Response(status: .notModified, headers: headers) }
    let range = mayBePart(requested) ? ByteRange(requested[.range], size: file.size) : .whole
    let (status, part): (HTTPResponse.Status, Range<Int64>)
    switch range {
    case .whole: (status, part) = (.ok, 0..<file.size)
    case .part(let bytes):
      (status, part) = (.partialContent, bytes)
      headers[.contentRange] = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(file.size)"
    case .unsatisfiable:
      headers[.contentRange] = "bytes */\(file.size)"
      headers[.contentType] = nil
      return Response(status: .rangeNotSatisfiable, headers: headers)
    }
    headers[.contentType] = contentType
    headers[.contentLength] = String(part.count)
    guard request.method != .head else { return Response(status: status, headers: headers) }
    let body = ResponseBody(contentLength: part.count) { [file] writer in
      var position = part.lowerBound
      while position < part.upperBound {
        let (start, count) = (position, Int(min(Int64(Self.blockSize), part.upperBound - position)))
        try await writer.write(services.transferring { ByteBuffer(bytes: try file.read(count, at: start)) })
        position += Int64(count)
      }
      try await writer.finish(nil)
    }
    return Response(status: status, headers: headers, body: body)
  }

  private var headers: HTTPFields {
    [
      .acceptRanges: "bytes", .eTag: entityTag, .lastModified: HTTPDate.text(ofSeconds: seconds),
      // With `no-cache`, clients revalidate their copy on each use.
      .cacheControl: "private, no-cache", .contentDisposition: disposition, .xContentTypeOptions: "nosniff",
    ]
  }

  private var seconds: Int64 { file.modified >= 0 ? file.modified / 1_000_000_000 : 0 }

  var entityTag: String {
    "\"\(String(file.size, radix: 16))-\(String(UInt64(bitPattern: file.modified), radix: 16))\""
  }

  private func isKnown(to headers: HTTPFields) -> Bool {
    if let tags = headers[.ifNoneMatch] { return EntityTags(tags).contains(entityTag) }
    guard let since = headers[.ifModifiedSince].flatMap(HTTPDate.seconds) else { return false }
    return seconds <= since
  }

  /// Returns `true` if the response may be a part of the file. With `If-Range`, a client requests a part only of the
  /// version of the file that it already knows.
  private func mayBePart(_ headers: HTTPFields) -> Bool {
    guard let condition = headers[.ifRange] else { return true }
    return condition == entityTag || HTTPDate.seconds(of: condition) == seconds
  }

  /// The value of `Content-Disposition`, with an ASCII name for old clients, and the real name (RFC 6266). Neither
  /// contains folders.
  private var disposition: String {
    let plain = String(
      name.unicodeScalars.map {
        0x20..<0x7F ~= $0.value && !"\"\\/%;".unicodeScalars.contains($0) ? Character($0) : "_"
      })
    return
      "\(isAttachment ? "attachment" : "inline"); filename=\"\(plain)\"; filename*=UTF-8''\(PercentEncoding.encoded(name.utf8))"
  }
}
