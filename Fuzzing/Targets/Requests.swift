@testable import Serving

/// The text in requests: names, addresses, query strings, ranges, passes.
struct RequestTarget: FuzzTarget {
  static let name = "requests"

  private let names = ServedNames(host: "127.0.0.1", names: ["music.example.org"])
  private let tokens = AccessTokens(file: nil)

  static func seeds() -> [[UInt8]] {
    [
      "localhost:8642", "[::1]:80", "10.0.0.0/8", "/rest/ping.view?u=a&p=enc:7061&t=x&s=y&apiKey=z", "client=a&client=%zz+%",
      "bytes=0-99", "Basic dTpw", "Bearer 1000000000.cGhvbmU.c2lnbmF0dXJl",
    ].map { Array($0.utf8) }
  }

  init() throws {}

  func run(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if names.contain(text), let host = ServedNames.host(of: text) {
      require(
        ["localhost", "localhost.", "127.0.0.1", "music.example.org", "music.example.org."].contains(host.lowercased())
          || NetworkAddress(host)?.isLoopback == true, "\(host) is a name of ours")
    }
    if let address = NetworkAddress(text) {
      require(NetworkAddress(address.description) == address, "\(address) reads back")
      require(NetworkRange(address.description)?.contains(address) == true, "\(address) is in its range")
    }
    _ = NetworkRange(text)
    let fields = FormFields(text)
    _ = Credentials(parameters: fields, of: .subsonic)
    _ = Credentials(parameters: fields, of: .acoustID)
    _ = Credentials(authorization: text)
    require(!LoggedTarget.text(of: "/x?token=\(Self.secret)&\(text)").contains(Self.secret), "no token is logged")
    require(tokens.name(ofPass: text, kind: .bearer) == nil, "nobody guesses a pass")
    if case .part(let range) = ByteRange(text, size: 1000) {
      require(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= 1000, "\(range) is of the file")
    }
  }

  private static let secret = "sesame-open-sesame"
}
