internal import HTTPTypes

/// The origin of the page that made a request, according to the headers that browsers send.
///
/// `Origin`: https://fetch.spec.whatwg.org/#origin-header, `Sec-Fetch-Site`: https://www.w3.org/TR/fetch-metadata/.
/// Only browsers send these headers.
enum PageOrigin: Equatable {
  /// No page, a page of this server, or a URL that the user typed.
  case own
  /// An origin allowed by `--allow-origin`.
  case allowed(String)
  /// A link from a foreign page to this server.
  case navigation
  case foreign

  init(_ headers: HTTPFields, method: HTTPRequest.Method, authority: String, allowed: Set<String>) {
    let site = headers[.secFetchSite]
    if let origin = headers[.origin] {
      if allowed.contains(origin.lowercased()) {
        self = .allowed(origin)
      } else if let host = Self.authority(of: origin), host == authority.lowercased(),
        site ?? "same-origin" != "cross-site"
      {
        self = .own
      } else {
        self = .foreign
      }
      return
    }
    switch site {
    case nil, "same-origin", "none": self = .own
    case _
    where headers[.secFetchMode] == "navigate" && (method == .get || method == .head)
      && ["document", nil].contains(headers[.secFetchDest]):
      self = .navigation
    default: self = .foreign
    }
  }

  /// Returns `example.org:8080` for `http://example.org:8080`. Browsers omit the default port.
  private static func authority(of origin: String) -> String? {
    let origin = origin.lowercased()
    for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
      return String(origin.dropFirst(scheme.count))
    }
    return nil
  }
}

extension HTTPField.Name {
  static let secFetchSite = Self("Sec-Fetch-Site")!
  static let secFetchMode = Self("Sec-Fetch-Mode")!
  static let secFetchDest = Self("Sec-Fetch-Dest")!
}
