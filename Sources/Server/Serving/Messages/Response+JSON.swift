package import HTTPTypes
package import Hummingbird
internal import NIOCore
package import Text

extension Response {
  /// A JSON response that caches do not store.
  package static func json(status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) throws -> Void) rethrows
    -> Response
  {
    var writer = JSONWriter()
    try write(&writer)
    return json(status: status, bytes: writer.bytes)
  }

  /// - Parameter bytes: The bytes of a `JSONWriter`.
  package static func json(status: HTTPResponse.Status = .ok, bytes: [UInt8]) -> Response {
    Response(
      status: status,
      headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  package static func json(status: HTTPResponse.Status = .ok, _ value: JSONValue) -> Response {
    json(status: status) { $0.value(value) }
  }
}
