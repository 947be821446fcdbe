internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Platform
internal import Recognition
internal import RecognitionTasks
internal import Records
internal import Serving
internal import SystemPackage
internal import Text

/// `/v1/catalog`: lists, adds and removes the recordings that can be recognized.
struct RecognitionCatalogRoutes: RouteSet {
  let api = API.recognition
  let services: Services

  private static let pageLimit = 1_000
  private static let offsets = 0...Int(Int32.max)
  /// Maximum size of an upload in bytes.
  private static let uploadLimit = 64 << 20

  private var catalog: ServedCatalog { services.recognition.catalog }

  var routes: [Route] {
    route(
      .get, "catalog", "The recordings that can be recognized",
      [.integer("limit", 1...Self.pageLimit), .integer("offset", Self.offsets)], answers: [.json(.recordings)]
    ) { request, _ in
      let query = QueryReading(request)
      let limit = try query.number("limit", in: 1...Self.pageLimit, standard: 50)
      let offset = try query.number("offset", in: Self.offsets, standard: 0)
      return try await services.reading {
        let current = try catalog.current()
        return JSONType.recordings.response(
          RecordingPage(
            entries: current.entries(offset: offset, limit: limit), limit: limit, offset: offset, total: current.count,
            duration: current.information.duration, isOutdated: catalog.isOutdated))
      }
    }
    route(.get, "catalog/{id}", "A recording of the catalog", answers: [.json(.recording)]) { _, context in
      let id = try Self.identifier(context)
      return try await services.reading {
        guard let entry = try catalog.current().entry(id) else { throw Self.notFound }
        return JSONType.recording.response(entry)
      }
    }
    route(.get, "catalog/{id}/signature", "The signature of a recording", type: "application/octet-stream") {
      _, context in
      let id = try Self.identifier(context)
      return try await services.reading {
        guard let reference = try catalog.current().reference(id) else { throw Self.notFound }
        return Response(
          status: .ok, headers: [.contentType: "application/octet-stream", .cacheControl: "no-store"],
          body: ResponseBody(byteBuffer: ByteBuffer(bytes: reference.signature.bytes)))
      }
    }
    route(
      .post, "catalog", "Add a recording's signature to the catalog", body: .bytes(["application/octet-stream"]),
      answers: [.json(.added, .created)]
    ) { request, _ in
      let body = try await request.body.collect(upTo: Self.uploadLimit)
      let isJSON = request.headers[.contentType]?.hasPrefix("application/json") ?? false
      return try await services.cataloging {
        try Self.explained {
          isJSON ? try add(reference: body.readableBytesView) : try add(catalogFile: body)
        }
      }
    }
    route(.delete, "catalog/{id}", "Remove a recording from the catalog", answers: [.empty(.noContent)]) { _, context in
      let id = try Self.identifier(context)
      return try await services.cataloging {
        try Self.explained {
          try CatalogRemoval(catalog: catalog.path, tracks: [id], path: { _ in nil }).perform()
          catalog.noteChange()
          return Response(status: .noContent)
        }
      }
    }
  }

  private static let notFound = RequestError(.notFound, "The catalog has no such recording.")

  private static func identifier(_ context: ServerContext) throws -> String {
    let text = try context.parameters.require("id")
    return text.removingPercentEncoding ?? text
  }

  // MARK: Changing

  /// Adds the signature in `{"reference": …, "signature": base64, "items": [media items]}`.
  private func add(reference text: ByteBufferView) throws -> Response {
    guard case .object(let object)? = try? JSONValue(parsing: text), case .string(let encoded)? = object["signature"],
      let bytes = Data(base64Encoded: encoded)
    else {
      throw RequestError(
        .badRequest, "The body must be an object with signature (base64) and, optionally, reference and items.")
    }
    let signature: Signature
    do {
      signature = try Signature(bytes: Array(bytes))
    } catch {
      throw RequestError(.unprocessableContent, "signature is \(error).")
    }
    var single = CustomCatalog()
    let items = try Self.items(object["items"])
    if case .string(let identifier)? = object["reference"], !identifier.isEmpty {
      try single.add(ReferenceSignature(identifier: identifier, signature: signature, items: items))
    } else {
      try single.addReferenceSignature(signature, representing: items)
    }
    return try merge { try single.write(to: $0) }
  }

  /// Adds a catalog in the format of `analyze catalog export`.
  private func add(catalogFile body: ByteBuffer) throws -> Response {
    try merge { file in
      let descriptor = try FileDescriptor.open(
        file, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
      try descriptor.closeAfter { _ = try descriptor.writeAll(body.readableBytesView) }
    }
  }

  /// Adds the catalog that `write` writes to a file.
  private func merge(_ write: (FilePath) throws -> Void) throws -> Response {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let file = folder.file("upload")
    try write(file)
    let added = try CustomCatalog(contentsOf: file)
    try CatalogMerge(catalog: catalog.path, others: [file]).perform()
    catalog.noteChange()
    return JSONType.added.response(added.entries(offset: 0, limit: Self.pageLimit), status: .created)
  }

  /// Parses media items in the format that `match` prints. Missing members are unknown, and missing lists are empty.
  private static func items(_ value: JSONValue?) throws -> [MediaItem] {
    guard let value, value != .null else { return [] }
    guard case .array(let values) = value else {
      throw RequestError(.badRequest, "items must be a list of media items.")
    }
    let lists: [String: JSONValue] = ["genres": [], "time_ranges": [], "frequency_skew_ranges": [], "properties": [:]]
    return try values.map { value in
      guard case .object(let object) = value,
        let item = try? JSONValue.object(
          object.filter { $0.value != .null }.merging(lists) { first, _ in first }
        ).decoded(as: MediaItem.self)
      else {
        throw RequestError(
          .badRequest,
          "The members of a media item, such as title, artist and isrc, are strings; genres is a list of strings.")
      }
      return item
    }
  }

  /// Runs `body` and translates its errors into errors for clients.
  private static func explained(_ body: () throws -> Response) throws -> Response {
    do {
      return try body()
    } catch let error as CatalogTaskError {
      switch error {
      case .noTrack: throw notFound
      case .noCatalog, .emptyCatalog:
        throw RequestError(.serviceUnavailable, "There is no catalog of recordings yet.")
      case .isAFile:
        throw RequestError(
          .conflict, "The catalog of this server is a single file, which cannot be changed. Serve a folder instead.")
      default: throw RequestError(.internalServerError, "The catalog cannot be changed; see the log of the server.")
      }
    } catch let error as CatalogError {
      switch error {
      case .locked:
        throw RequestError(.serviceUnavailable, "The catalog is being changed by another program.", retryAfter: 5)
      case .notACatalog, .otherVersion, .damaged:
        throw RequestError(
          .unprocessableContent, "The body is not a catalog that this version can read, or it is damaged.")
      default: throw error
      }
    }
  }
}

private struct RecordingPage {
  var entries: [CustomCatalog.Entry]
  var limit: Int
  var offset: Int
  var total: Int
  var duration: Double
  /// `true` if the catalog has changed but cannot be read completely, so the previous one is in use.
  var isOutdated: Bool
}

extension JSONType<RecordingPage> {
  fileprivate static var recordings: Self {
    .object(
      "Recordings", .required("duration_s", .number) { ($0.duration * 10).rounded() / 10 },
      .required("items", .list(.recording)) { $0.entries }, .required("limit", .integer) { $0.limit },
      .optional("next", .text) { page in
        let next = page.offset + page.entries.count
        return next < page.total ? "/v1/catalog?limit=\(page.limit)&offset=\(page.offset + page.limit)" : nil
      },
      .required("offset", .integer) { $0.offset },
      .optional("problem", .text) {
        $0.isOutdated
          ? "The catalog has changed and cannot be read; the previous one is in use. To see why: analyze catalog info."
          : nil
      },
      .required("total", .integer) { $0.total })
  }
}

extension JSONType<[CustomCatalog.Entry]> {
  fileprivate static var added: Self { .only("items", .list(.recording), as: "AddedRecordings") }
}

extension JSONType<CustomCatalog.Entry> {
  fileprivate static var recording: Self {
    .object(
      "Recording", .required("duration_s", .number) { ($0.duration * 1000).rounded() / 1000 },
      .required("items", .list(.any)) { $0.items.compactMap { try? JSONValue(encoding: $0) } },
      .required("landmarks", .integer) { $0.landmarkCount }, .required("reference", .text) { $0.identifier })
  }
}
