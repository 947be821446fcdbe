internal import Platform
public import SystemPackage

/// The endpoints and credentials for object stores. They come from the environment variables and files that these
/// stores' own tools use.
public struct ObjectAccess: Sendable {
  private struct Keys {
    var id: String
    var secret: String
    /// The session token for temporary keys.
    var token: String?
  }

  private var s3Keys: Keys?
  private var s3Region: String?
  private var s3Endpoint: String?
  private var gsKeys: Keys?
  private var gsToken: String?
  private var gsEndpoint: String?

  /// - Parameter home: The folder that contains `.aws`.
  public init(environment: [String: String], home: FilePath) {
    func value(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    func keys(_ id: String, _ secret: String, _ token: String?) -> Keys? {
      guard let id = value(id), let secret = value(secret) else { return nil }
      return Keys(id: id, secret: secret, token: token)
    }
    let profile = value("AWS_PROFILE") ?? "default"
    let folder = home.appending(".aws")
    func section(_ variable: String, _ file: FilePath.Component, _ name: String) -> [String: String] {
      let path = value(variable).map { FilePath($0) } ?? folder.appending(file)
      return AWSProfileFile.section(name, of: path)
    }
    s3Keys = keys("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", value("AWS_SESSION_TOKEN"))
    if s3Keys == nil {
      let found = section("AWS_SHARED_CREDENTIALS_FILE", "credentials", profile)
      if let id = found["aws_access_key_id"], let secret = found["aws_secret_access_key"] {
        s3Keys = Keys(id: id, secret: secret, token: found["aws_session_token"])
      }
    }
    s3Region =
      value("AWS_REGION", "AWS_DEFAULT_REGION")
      ?? section("AWS_CONFIG_FILE", "config", profile == "default" ? profile : "profile \(profile)")["region"]
    s3Endpoint = value("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL").map(Self.address)
    gsKeys = keys("GS_ACCESS_KEY_ID", "GS_SECRET_ACCESS_KEY", nil)
    gsToken = value("GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN")
    gsEndpoint = value("GS_ENDPOINT_URL").map(Self.address)
  }

  private static func address(_ text: String) -> String {
    let whole = text.contains("://") ? text : "https://\(text)"
    return whole.hasSuffix("/") ? String(whole.dropLast()) : whole
  }

  /// Creates the request for an object.
  /// - Parameter region: The region of the bucket, if it is known to differ from the configured one.
  func request(for address: ObjectAddress, region: String?, silence: Duration) -> CurlRequest {
    let name = address.name
    switch name.scheme {
    case .https, .http:
      let isSafe = name.scheme == .https
      var request = CurlRequest(
        url: "\(name.scheme.rawValue)://\(name.authority)\(address.target)",
        protocols: isSafe ? "https" : "http,https", isRedirected: true, silence: silence)
      if let user = address.user {
        request.set("user", user.contains(":") ? user : user + ":")
      } else {
        request.set("netrc-optional")
      }
      return request
    case .s3, .gs:
      return bucketRequest(
        name.scheme, name.authority, target: FilePath.percentEncoded(name.key), region: region, silence: silence)
    }
  }

  /// Creates the request for a page of a listing (ListObjectsV2). The parameters are in the order that signatures
  /// require.
  func request(
    listing folder: ObjectFolder, prefix: [UInt8], _ continuation: String?, region: String?, silence: Duration
  ) -> CurlRequest {
    let page = continuation.map { "continuation-token=\(PercentEncoding.encoded($0.utf8))&" } ?? ""
    return bucketRequest(
      folder.scheme, folder.bucket,
      target: "?\(page)encoding-type=url&list-type=2&prefix=\(PercentEncoding.encoded(prefix))",
      region: region, silence: silence)
  }

  /// - Parameter target: A key or a query, percent-encoded as signatures require.
  private func bucketRequest(
    _ scheme: ObjectName.Scheme, _ bucket: String, target: String, region: String?, silence: Duration
  ) -> CurlRequest {
    let place: String
    let keys: Keys?
    let signingRegion: String
    if scheme == .gs {
      place = "\(gsEndpoint ?? "https://storage.googleapis.com")/\(bucket)"
      keys = gsToken == nil ? gsKeys : nil
      signingRegion = "auto"
    } else {
      signingRegion = region ?? s3Region ?? "us-east-1"
      place = s3Endpoint.map { "\($0)/\(bucket)" } ?? Self.amazon(bucket: bucket, signingRegion)
      keys = s3Keys
    }
    var request = CurlRequest(
      url: "\(place)\(target.hasPrefix("?") ? "" : "/")\(target)", protocols: "http,https", isRedirected: false,
      silence: silence)
    if scheme == .gs, let gsToken { request.addHeader("Authorization", "Bearer \(gsToken)") }
    guard let keys else { return request }
    request.set("user", "\(keys.id):\(keys.secret)")
    request.set("aws-sigv4", "aws:amz:\(signingRegion):s3")
    // The SHA-256 of an empty body. Object stores require this header, and curl 7.88 does not add it.
    request.addHeader("x-amz-content-sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    if let token = keys.token { request.addHeader("x-amz-security-token", token) }
    return request
  }

  /// Returns the address of a bucket at Amazon. A bucket name with dots goes into the path, because Amazon's
  /// certificates cover only one label before the service name.
  private static func amazon(bucket: String, _ region: String) -> String {
    let host = "s3.\(region).amazonaws.com"
    let isHostName = bucket.wholeMatch(of: /[a-z0-9\-]+/) != nil
    return isHostName ? "https://\(bucket).\(host)" : "https://\(host)/\(bucket)"
  }
}

/// The files `credentials` and `config` of the AWS tools: sections in brackets, and lines of the form `name = value`.
enum AWSProfileFile {
  private static let sizeLimit = 1 << 20

  static func section(_ wanted: String, of path: FilePath) -> [String: String] {
    guard let bytes = try? SmallFile.read(path, limit: sizeLimit) else { return [:] }
    var isInside = false
    var values: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let text = trimmed(line)
      if text.hasPrefix("[") {
        isInside = trimmed(text.dropFirst().prefix { $0 != "]" }) == wanted
      } else if isInside, !text.hasPrefix("#"), !text.hasPrefix(";"), let sign = text.firstIndex(of: "=") {
        values[trimmed(text[..<sign])] = trimmed(text[text.index(after: sign)...])
      }
    }
    return values
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var rest = text[...].drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest = rest.dropLast() }
    return String(rest)
  }
}
