internal import Analysis
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Resources
internal import Serving

/// Routes for the app: its page at `/`, and the files of that page at `/app/…`.
struct PageRoutes: RouteSet {
  let api = API(name: "app", path: "", access: .page)
  private let files = PageFile.all

  var routes: [Route] {
    route(.get, "", "The page of the app", type: "text/html") { request, _ in try answer("index.html", request) }
    route(.get, "app/{file}", "A file of the app's page", type: "*/*") { request, context in
      try answer(context.parameters.require("file"), request)
    }
  }

  private func answer(_ name: String, _ request: Request) throws(RequestError) -> Response {
    guard let file = files[name] else { throw RequestError(.notFound, "The app has no such file.") }
    var headers = HTTPFields()
    headers[.eTag] = file.entityTag
    headers[.cacheControl] = "no-cache"
    headers[.contentSecurityPolicy] = Self.policy
    if let known = request.headers[.ifNoneMatch], EntityTags(known).contains(file.entityTag) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = file.mediaType
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }

  /// A policy that allows only resources of this server, no inline scripts or styles, and no framing.
  private static let policy =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
}

/// A file of the app, built into the program.
private struct PageFile {
  let bytes: [UInt8]
  let mediaType: String
  let entityTag: String

  /// All files, by name.
  static var all: [String: PageFile] {
    var files: [String: PageFile] = [:]
    for index in 0..<cresources_app_count() {
      let file = unsafe cresources_app_at(index)
      unsafe files[String(cString: file.name)] = PageFile(file)
    }
    return files
  }

  private init(_ file: cresources_file) {
    bytes = [UInt8](file.contents)
    mediaType =
      switch unsafe String(cString: file.name).split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "svg": "image/svg+xml"
      default: "application/octet-stream"
      }
    entityTag = "\"\(ContentID(hashing: bytes))\""
  }
}
