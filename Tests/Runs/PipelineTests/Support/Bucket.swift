import AnalysisTesting
import Objects
import Platform
import SystemPackage

/// Buckets on a local server.
final class Bucket: Sendable {
  /// An object as the listing shows it, and the answer to a request for it.
  struct Object: Sendable {
    var key: String
    var bytes: [UInt8] = []
    /// The size in the listing; `nil` for the actual one.
    var listedSize: Int?
    var listedTag: String?
    /// The second of the minute in which the object was changed, according to the listing.
    var listedSecond = 4
    var status = 200
    var tag: String?
    /// The same in the answer; `nil` if it has no time.
    var second: Int? = 4
  }

  /// The time of objects in `listedSecond` 0.
  static let minute: Int64 = 1_795_234_500

  private let server: ScriptedServer
  let fetcher: ObjectFetcher

  /// - Parameters:
  ///   - folder: Holds fetched objects.
  ///   - onFetch: Called before an object is sent, with its key.
  ///   - objects: The present objects of the bucket with the given name; `nil` if there is no such bucket.
  init(
    in folder: FilePath, onFetch: @escaping @Sendable (String) -> Void = { _ in },
    _ objects: @escaping @Sendable (String) -> [Object]?
  ) throws {
    server = try ScriptedServer { request in
      let parts = request.target.dropFirst().split(separator: "/", maxSplits: 1).map { String($0) }
      let name = String(parts[0].prefix { $0 != "?" })
      guard let objects = objects(name) else { return [.answer(404)] }
      if request.target.contains("list-type=2") { return [.answer(200, [:], Self.page(objects))] }
      guard parts.count == 2, let object = objects.first(where: { $0.key == parts[1] }) else { return [.answer(404)] }
      onFetch(object.key)
      var headers: [String: String] = [:]
      if let tag = object.tag { headers["ETag"] = tag }
      if let second = object.second { headers["Last-Modified"] = "Sat, 21 Nov 2026 04:15:0\(second) GMT" }
      return [.answer(object.status, headers, object.status == 200 ? object.bytes : [])]
    }
    var policy = FetchPolicy(silence: .seconds(2))
    policy.attempts = 2
    policy.firstPause = .milliseconds(5)
    fetcher = ObjectFetcher(
      ObjectAccess(environment: ["AWS_ENDPOINT_URL": "http://127.0.0.1:\(server.port)"], home: folder),
      space: FetchSpace(limit: 64 << 20, in: folder), policy: policy)
  }

  private static func page(_ objects: [Object]) -> [UInt8] {
    let contents = objects.map { object in
      """
      <Contents><Key>\(object.key)</Key><LastModified>2026-11-21T04:15:0\(object.listedSecond).000Z</LastModified>\
      \(object.listedTag.map { "<ETag>\($0.replacing("\"", with: "&quot;"))</ETag>" } ?? "")\
      <Size>\(object.listedSize ?? object.bytes.count)</Size></Contents>
      """
    }
    return Array("<ListBucketResult><IsTruncated>false</IsTruncated>\(contents.joined())</ListBucketResult>".utf8)
  }
}
