internal import Analysis
internal import Hummingbird
internal import Serving
internal import Text

/// The parameters of a request that changes something, from the query or from the members of a JSON object in the body.
struct SpotifyChange: Sendable {
  let request: SpotifyRequest
  /// The id of the playlist or user; empty if the path has no id.
  let id: String
  private let body: [String: JSONValue]

  static let bodyLimit = 1 << 20
  /// Maximum number of ids per request.
  private static let maxIDs = 100

  init(_ request: SpotifyRequest, id: String, body: [UInt8]) throws {
    self.request = request
    self.id = id
    let isEmpty = body.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    if isEmpty {
      self.body = [:]
      return
    }
    switch try? JSONValue(parsing: body) {
    case .object(let members): self.body = members
    // Some clients send only a list of ids or URIs.
    case .array(let ids): self.body = ["ids": .array(ids), "uris": .array(ids)]
    default: throw RequestError(.badRequest, "The body must be a JSON object.")
    }
  }

  func text(_ name: String) -> String? {
    if case .string(let text)? = body[name] { return text }
    return request.fields[name]
  }

  func flag(_ name: String) -> Bool? {
    if case .bool(let flag)? = body[name] { return flag }
    return request.fields[name].map { $0 == "true" }
  }

  func integer(_ name: String) throws -> Int? {
    switch body[name] {
    case .integer(let number)?: return Int(clamping: number)
    case nil, .null?:
      guard let text = request.fields[name] else { return nil }
      guard let number = Int(text) else { throw RequestError(.badRequest, "\(name) must be a number.") }
      return number
    default: throw RequestError(.badRequest, "\(name) must be a number.")
    }
  }

  func ids() throws -> [String] { try uris("ids") }

  /// Returns the ids of objects such as tracks or albums, parsed from ids, URIs (`spotify:track:…`) and URLs.
  func uris(_ name: String) throws -> [String] {
    let texts: [String]
    if case .array(let values)? = body[name] {
      texts = try values.map { value in
        guard case .string(let text) = value else { throw RequestError(.badRequest, "\(name) must be strings.") }
        return text
      }
    } else {
      texts = request.list(name)
    }
    guard texts.count <= Self.maxIDs else {
      throw RequestError(.badRequest, "\(name) takes at most \(Self.maxIDs) at a time.")
    }
    return try texts.map(Self.id)
  }

  private static func id(_ uri: String) throws -> String {
    let path = uri.prefix { $0 != "?" }
    let id = String(path.split { $0 == ":" || $0 == "/" }.last ?? "")
    guard ContentID(id) != nil else { throw RequestError(.badRequest, "Invalid track uri: \(uri.prefix(100))") }
    return id
  }

  struct RemovedTrack {
    var id: String
    /// The positions from which the track is removed; `nil` to remove it from all positions.
    var positions: Set<Int>?
  }

  /// Parses `{"tracks": [{"uri": …, "positions": […]}]}`. Newer clients send `items` instead of `tracks`.
  func removedTracks() throws -> [RemovedTrack] {
    guard case .array(let tracks)? = body["tracks"] ?? body["items"], tracks.count <= Self.maxIDs else {
      throw RequestError(.badRequest, "tracks must be a list of at most \(Self.maxIDs) tracks.")
    }
    return try tracks.map { track in
      guard case .object(let members) = track, case .string(let uri)? = members["uri"] else {
        throw RequestError(.badRequest, "Each track must have a uri.")
      }
      guard case .array(let positions)? = members["positions"] else {
        return RemovedTrack(id: try Self.id(uri), positions: nil)
      }
      return RemovedTrack(
        id: try Self.id(uri),
        positions: Set(
          try positions.map { position in
            guard case .integer(let number) = position else {
              throw RequestError(.badRequest, "positions must be numbers.")
            }
            return Int(clamping: number)
          }))
    }
  }
}

extension JSONType<SpotifyChange.RemovedTrack> {
  static var removedTrack: Self {
    .object(
      "RemovedTrack",
      .ifAny("uri", .text) { $0.id }, .ifAny("positions", .list(.place)) { $0.positions?.sorted() })
  }
}
