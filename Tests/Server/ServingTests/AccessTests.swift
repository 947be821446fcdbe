import AnalysisTesting
import Foundation
import HTTPTypes
import SystemPackage
import Testing

@testable import Serving

@Suite(.bounded) struct ServedNamesTests {
  @Test(arguments: [
    "localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:8642", "[::1]:8642", "localhost.", "127.3.2.1",
  ])
  func loopbackIsServedByItsNames(authority: String) {
    #expect(ServedNames(host: "127.0.0.1", names: []).contain(authority))
  }

  @Test(arguments: [
    "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.2", "", ":80", "localhost:",
    "localhost:x",
    "a b", "user@localhost", "localhost/", "[::1", "[::1]x", "::1",
  ])
  func othersAreNot(authority: String) {
    #expect(ServedNames(host: "127.0.0.1", names: []).contain(authority) == (authority == "localhost:"))
  }

  @Test func otherMachinesAskByAddressOrByAGivenName() {
    let names = ServedNames(host: "0.0.0.0", names: ["Music.example.org"])
    #expect(names.contain("192.168.1.2:8642"))
    #expect(names.contain("[2001:db8::1]:8642"))
    #expect(names.contain("music.example.org"))
    #expect(!names.contain("evil.example"))
  }

  /// A server on loopback, by whatever name of it, is not reachable at another address.
  @Test(arguments: ["localhost", "LocalHost", "127.0.0.1", "127.9.9.9", "::1"])
  func aLoopbackServerHasOnlyLoopbackAddresses(host: String) {
    let names = ServedNames(host: host, names: [])
    for authority in ["127.0.0.1", "[::1]", "localhost", host.contains(":") ? "[\(host)]" : host] {
      #expect(names.contain(authority), "\(authority)")
    }
    #expect(!names.contain("192.168.1.2") && !names.contain("[2001:db8::1]"))
  }

  /// Addresses and names that are given, in any spelling of them.
  @Test func givenNamesAreServed() {
    let names = ServedNames(host: "127.0.0.1", names: ["192.168.1.2", "2001:db8::2", "Box.", "a"])
    for authority in ["192.168.1.2:80", "[2001:DB8::2]:80", "box", "BOX.:80", "a", "a."] {
      #expect(names.contain(authority), "\(authority)")
    }
    for authority in ["192.168.1.3", "[2001:db8::3]", "localhosx", "bo", "a..", "b."] {
      #expect(!names.contain(authority), "\(authority)")
    }
    #expect(ServedNames(host: "music.example.org", names: []).contain("192.168.1.2"))
    // A dot alone is not cut to the empty name.
    #expect(!ServedNames(host: "127.0.0.1", names: ["."]).contain("[]"))
  }

  /// A port has up to five digits.
  @Test(arguments: [
    ("localhost", true), ("localhost:0", true), ("localhost:9", true), ("localhost:65535", true),
    ("localhost:100000", false), ("localhost:8a", false), ("localhost:/", false), ("localhost::", false),
    ("[::1]", true), ("[::1]:9", true), ("[::1]:65535", true), ("[::1]:100000", false), ("[::1]9", false),
    ("[::1]:8a", false),
  ])
  func portsAreNumbers(authority: String, isServed: Bool) {
    #expect(ServedNames(host: "127.0.0.1", names: []).contain(authority) == isServed)
  }

  @Test func namesAndOriginsOfOptionsAreChecked() {
    for name in ["music.example.org", "my_box", "a-b", "192.168.1.2", "[::1]", "Z9"] {
      #expect(ServedNames.isName(name), "\(name)")
    }
    for name in ["", "a b", "a:80", "[::1]:80", "http://a", "user@a", "a/b", "é"] {
      #expect(!ServedNames.isName(name), "\(name)")
    }
    for origin in ["http://a", "HTTPS://Player.example.org:8080", "http://[::1]:80"] {
      #expect(ServedNames.isOrigin(origin), "\(origin)")
    }
    for origin in ["", "player.example.org", "ftp://a", "http://", "https://a/b", "https://a:b", "nullhttp://a"] {
      #expect(!ServedNames.isOrigin(origin), "\(origin)")
    }
  }
}

@Suite(.bounded) struct PageOriginTests {
  private func origin(_ headers: HTTPFields, _ method: HTTPRequest.Method = .get) -> PageOrigin {
    PageOrigin(headers, method: method, authority: "127.0.0.1:8642", allowed: ["https://player.example"])
  }

  @Test func programsAndOurOwnPagesMayAsk() {
    #expect(origin([:]) == .own)
    #expect(origin([.secFetchSite: "none"]) == .own)
    #expect(origin([.origin: "http://127.0.0.1:8642", .secFetchSite: "same-origin"], .post) == .own)
  }

  @Test func pagesFromElsewhereMayNot() {
    #expect(origin([.origin: "http://evil.example"]) == .foreign)
    #expect(origin([.origin: "null"], .post) == .foreign)
    #expect(origin([.origin: "http://127.0.0.1:3000"]) == .foreign)
    #expect(origin([.origin: "http://127.0.0.1:8642.evil.example"]) == .foreign)
    #expect(origin([.secFetchSite: "cross-site", .secFetchMode: "no-cors", .secFetchDest: "image"]) == .foreign)
    #expect(origin([.secFetchSite: "cross-site", .secFetchMode: "navigate", .secFetchDest: "iframe"]) == .foreign)
    #expect(origin([.secFetchSite: "cross-site", .secFetchMode: "navigate"], .post) == .foreign)
    #expect(origin([.secFetchSite: "something new"]) == .foreign)
  }

  @Test func aLinkIsToldFromAnImage() {
    let link: HTTPFields = [.secFetchSite: "cross-site", .secFetchMode: "navigate", .secFetchDest: "document"]
    #expect(origin(link) == .navigation && origin(link, .head) == .navigation)
    for method in [HTTPRequest.Method.post, .put, .delete, .options] { #expect(origin(link, method) == .foreign) }
    #expect(origin([.secFetchSite: "cross-site", .secFetchMode: "navigate"]) == .navigation)
    #expect(origin([.secFetchSite: "cross-site", .secFetchMode: "no-cors", .secFetchDest: "document"]) == .foreign)
    #expect(origin([.secFetchSite: "same-site", .secFetchMode: "cors"]) == .foreign)
    #expect(origin([.secFetchSite: "same-origin", .secFetchMode: "no-cors", .secFetchDest: "image"], .post) == .own)
  }

  /// The browser's word counts more than equal names.
  @Test func ourOwnNameFromAnotherSiteIsForeign() {
    #expect(origin([.origin: "http://127.0.0.1:8642"]) == .own)
    #expect(origin([.origin: "https://127.0.0.1:8642", .secFetchSite: "same-site"]) == .own)
    #expect(origin([.origin: "http://127.0.0.1:8642", .secFetchSite: "cross-site"]) == .foreign)
    #expect(origin([.origin: "ftp://127.0.0.1:8642"]) == .foreign)
    let headers: HTTPFields = [.origin: "HTTP://Music.example"]
    #expect(PageOrigin(headers, method: .get, authority: "music.EXAMPLE", allowed: []) == .own)
  }

  @Test func anOriginCanBeAllowed() {
    #expect(origin([.origin: "https://player.example"]) == .allowed("https://player.example"))
    let headers: HTTPFields = [.origin: "HTTPS://Player.example", .secFetchSite: "cross-site"]
    #expect(origin(headers) == .allowed("HTTPS://Player.example"))
    #expect(origin([.origin: "http://player.example"]) == .foreign)
  }
}

@Suite(.bounded) struct NetworkTests {
  @Test func rangesContainWhatBeginsTheSame() throws {
    let range = try #require(NetworkRange("10.1.0.0/20"))
    #expect(range.contains(try #require(NetworkAddress("10.1.15.255"))))
    #expect(!range.contains(try #require(NetworkAddress("10.1.16.0"))))
    #expect(!range.contains(try #require(NetworkAddress("::1"))))
    #expect(range.contains(try #require(NetworkAddress("::ffff:10.1.2.3"))))
    for text in ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "example.org", "", "10.0.0.0/8/8"] {
      #expect(NetworkRange(text) == nil, "\(text)")
    }
  }

  /// Each prefix, with addresses that differ in each bit.
  @Test(arguments: ["170.85.170.85", "aa55:aa55:aa55:aa55:aa55:aa55:aa55:aa55"])
  func aRangeFixesItsFirstBits(text: String) throws {
    let address = try #require(NetworkAddress(text))
    let size = address.bytes.count * 8
    let others = try (0..<size).map { bit in
      var bytes = address.bytes
      bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
      if bytes.count == 4 { return try #require(NetworkAddress(bytes.map { String($0) }.joined(separator: "."))) }
      let words = stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
      return try #require(NetworkAddress(words.map { String($0, radix: 16) }.joined(separator: ":")))
    }
    for count in 0...size {
      let range = try #require(NetworkRange("\(text)/\(count)"))
      #expect(range.contains(address))
      #expect(others.map(range.contains) == (0..<size).map { $0 >= count }, "\(count) bits")
    }
    let whole = try #require(NetworkRange(text))
    #expect(whole.contains(address) && others.allSatisfy { !whole.contains($0) })
    #expect(NetworkRange("\(text)/\(size + 1)") == nil && NetworkRange("\(text)/x") == nil)
  }

  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1", true), ("127.255.255.254", "127.255.255.254", true), ("126.0.0.1", "126.0.0.1", false),
    ("10.0.0.127", "10.0.0.127", false), ("0.127.0.1", "0.127.0.1", false), ("::1", "::1", true),
    ("[::1]", "::1", true), ("::2", "::2", false), ("::", "::", false), ("::1:0:1", "::1:0:1", false),
    ("1::1", "1::1", false), ("::ffff:127.0.0.1", "127.0.0.1", true), ("::ffff:10.0.0.1", "10.0.0.1", false),
    ("2001:DB8::1", "2001:db8::1", false), ("fe80::1%eth0", "fe80::1", false),
    ("::fffe:7f00:1", "::fffe:7f00:1", false), ("::1:ffff:7f00:1", "::1:ffff:7f00:1", false),
  ])
  func addressesAreReadAndShown(text: String, shown: String, isLoopback: Bool) throws {
    let address = try #require(NetworkAddress(text))
    #expect(address.description == shown && address.isLoopback == isLoopback)
    #expect(NetworkAddress(shown) == address)
  }

  @Test(arguments: ["", "[]", "%eth0", "[::1", "::1]", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.4:80"])
  func othersAreNoAddresses(text: String) {
    #expect(NetworkAddress(text) == nil)
  }

  /// An IPv4 address, and the first half of an IPv6 address.
  @Test func aClientIsANetwork() throws {
    func network(_ text: String) throws -> [UInt8] { try #require(NetworkAddress(text)).network }
    #expect(try network("192.0.2.1") == [192, 0, 2, 1])
    #expect(try network("2001:db8:1:2:ffff::1") == [0x20, 1, 0x0d, 0xb8, 0, 1, 0, 2])
    #expect(try network("2001:db8:1:2::9") == network("2001:db8:1:2:ffff::1"))
    #expect(try network("2001:db8:1:3::9") != network("2001:db8:1:2::9"))
    let address = NetworkAddress("192.0.2.1")
    #expect(Client() == Client(address: nil, isSecure: false, token: nil, isLocal: false))
    #expect(Client(address: address).owner == .network([192, 0, 2, 1]) && Client().owner == .network([]))
    #expect(Client(address: address, token: "phone").owner == .token("phone"))
  }

  private func client(_ peer: String, _ headers: HTTPFields, trusting ranges: String...) throws -> Client {
    try TrustedProxies(ranges.map { try #require(NetworkRange($0)) })
      .client(peer: NetworkAddress(peer), headers: headers)
  }

  /// A program on this machine that forwards a request is not its client.
  @Test func onlyRequestsOfThisMachineAreLocal() throws {
    #expect(try client("127.0.0.1", [:]).isLocal)
    #expect(try client("::1", [:], trusting: "::1").isLocal)
    #expect(try !client("192.168.1.2", [:]).isLocal)
    for header in [HTTPField.Name.xForwardedFor, .forwarded] {
      #expect(try !client("127.0.0.1", [header: "127.0.0.1"]).isLocal)
      #expect(try !client("127.0.0.1", [header: "127.0.0.1"], trusting: "127.0.0.1").isLocal)
      #expect(try client("127.0.0.1", [header: "198.51.100.7"]).address?.description == "127.0.0.1")
    }
    #expect(TrustedProxies([]).client(peer: nil, headers: [:]) == Client())
  }

  @Test func theLastUntrustedAddressIsTheClient() throws {
    func address(_ forwarded: String...) throws -> String? {
      var headers = HTTPFields()
      for text in forwarded { headers.append(HTTPField(name: .xForwardedFor, value: text)) }
      return try client("10.0.0.9", headers, trusting: "10.0.0.0/8").address?.description
    }
    #expect(try address() == "10.0.0.9")
    #expect(try address("198.51.100.7") == "198.51.100.7")
    #expect(try address("1.2.3.4", "198.51.100.7") == "198.51.100.7")
    #expect(try address("198.51.100.7 \t,\t 10.0.0.1\t") == "198.51.100.7")
    #expect(try address("198.51.100.7\t, 10.0.0.1 ") == "198.51.100.7")
    #expect(try address("10.0.0.2, 10.0.0.1") == "10.0.0.2")
    // Nothing before a text that is not an address is believed.
    #expect(try address("198.51.100.7, unknown, 10.0.0.1") == "10.0.0.1")
    #expect(try address("198.51.100.7, unknown") == "10.0.0.9")
  }

  @Test func onlyTheProxyKnowsWhetherTheClientUsesTLS() throws {
    func isSecure(_ proto: String) throws -> Bool {
      try client("10.0.0.9", [.xForwardedProto: proto], trusting: "10.0.0.9").isSecure
    }
    #expect(try isSecure("https") && isSecure("HTTPS") && !isSecure("http") && !isSecure(""))
    #expect(try !client("10.0.0.9", [:], trusting: "10.0.0.9").isSecure)
    #expect(try !client("10.0.0.8", [.xForwardedProto: "https"], trusting: "10.0.0.9").isSecure)
  }

  @Test func onlyATrustedProxyIsBelieved() throws {
    let proxies = TrustedProxies([try #require(NetworkRange("127.0.0.1")), try #require(NetworkRange("10.0.0.0/8"))])
    let headers: HTTPFields = [.xForwardedFor: "1.2.3.4, 198.51.100.7, 10.0.0.1", .xForwardedProto: "https"]
    let client = proxies.client(peer: NetworkAddress("127.0.0.1"), headers: headers)
    #expect(client.address?.description == "198.51.100.7")
    #expect(client.isSecure)
    #expect(!client.isLocal)
    let liar = proxies.client(peer: NetworkAddress("203.0.113.5"), headers: headers)
    #expect(liar.address?.description == "203.0.113.5")
    #expect(!liar.isSecure)
    #expect(proxies.client(peer: NetworkAddress("127.0.0.1"), headers: [:]).isLocal)
  }
}

@Suite(.bounded) struct AccessTokensTests {
  private let folder = FilePath(NSTemporaryDirectory()).appending("nocturne-tokens-\(UUID().uuidString)")

  private func file(_ text: String, mode: Int = 0o600) throws -> FilePath {
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    let path = folder.appending("tokens")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path.string))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.string)
    return path
  }

  private func remove() { try? FileManager.default.removeItem(atPath: folder.string) }

  @Test func tokensLetInByName() throws {
    defer { remove() }
    let path = try file("# who\n\nphone  aaaaaaaaaaaaaaaa\nTV bbbbbbbbbbbbbbbb \n")
    let tokens = AccessTokens(file: try TokenFile(path) { _ in })
    #expect(tokens.name(ofSecret: "aaaaaaaaaaaaaaaa") == "phone")
    #expect(tokens.name(ofSecret: "bbbbbbbbbbbbbbbb") == "TV")
    for wrong in ["", "phone", "aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa"] { #expect(tokens.name(ofSecret: wrong) == nil) }
    // md5sum of aaaaaaaaaaaaaaaasalt
    #expect(tokens.name(ofSubsonicToken: "46e8c5065f1d8080b4a38962f69b264b", salt: "salt") == "phone")
    #expect(tokens.name(ofSubsonicToken: "46e8c5065f1d8080b4a38962f69b264b", salt: "salz") == nil)
    #expect(tokens.name(ofSubsonicToken: "12", salt: "salt") == nil)
  }

  @Test func theKeyOfACoverIsForThatCoverAndEndsWithItsToken() throws {
    defer { remove() }
    let tokens = AccessTokens(file: try TokenFile(try file("phone aaaaaaaaaaaaaaaa\n")) { _ in })
    let key = try #require(tokens.coverKey(for: "one", as: "phone"))
    #expect(tokens.name(ofCoverKey: key, for: "one") == "phone")
    #expect(tokens.name(ofCoverKey: key, for: "two") == nil)
    #expect(tokens.name(ofPass: key, kind: .bearer) == nil)
    for wrong in ["", ".", "phone", key + ".", String(key.dropLast(2))] {
      #expect(tokens.name(ofCoverKey: wrong, for: "one") == nil)
    }
    #expect(tokens.coverKey(for: "one", as: "other") == nil)
    let changed = AccessTokens(file: try TokenFile(try file("phone bbbbbbbbbbbbbbbb\n")) { _ in })
    #expect(changed.name(ofCoverKey: key, for: "one") == nil)
    #expect(AccessTokens(file: nil).coverKey(for: "one", as: nil) == nil)
  }

  @Test func passesAreForOneKindAndOneTime() throws {
    defer { remove() }
    let tokens = AccessTokens(file: try TokenFile(try file("phone aaaaaaaaaaaaaaaa\n")) { _ in })
    let now = Date(timeIntervalSince1970: 1_000_000)
    let pass = try #require(tokens.pass(for: "phone", kind: .cookie, lasting: 60, now: now))
    #expect(tokens.name(ofPass: pass, kind: .cookie, now: now + 59) == "phone")
    #expect(tokens.name(ofPass: pass, kind: .cookie, now: now + 60) == nil)
    #expect(tokens.name(ofPass: pass, kind: .cookie, now: now + 61) == nil)
    #expect(tokens.name(ofPass: pass, kind: .bearer, now: now) == nil)
    #expect(tokens.pass(for: "other", kind: .cookie, lasting: 60) == nil)
    for index in pass.indices {
      var changed = pass
      changed.replaceSubrange(index...index, with: pass[index] == "x" ? "y" : "x")
      // The last character of the signature has two bits that mean nothing.
      guard index != pass.index(before: pass.endIndex) else { continue }
      #expect(tokens.name(ofPass: changed, kind: .cookie, now: now) == nil)
    }
    let others = AccessTokens(file: nil)
    #expect(others.name(ofPass: pass, kind: .cookie, now: now) == nil)
    let own = try #require(others.pass(for: nil, kind: .bearer, lasting: 60, now: now))
    #expect(others.name(ofPass: own, kind: .bearer, now: now) == "")
  }

  @Test(arguments: [
    "", "# nothing\n", "phone\n", "phone short\n", "a aaaaaaaaaaaaaaaa\na bbbbbbbbbbbbbbbb\n", "a b c\n",
  ])
  func filesWithMistakesAreRefusedWithoutTheirTokens(text: String) throws {
    defer { remove() }
    let path = try file(text)
    let problem = #expect(throws: TokenFile.Problem.self) { try TokenFile(path) { _ in } }
    #expect(problem?.description.contains("aaaa") == false)
  }

  @Test func filesThatOthersReadAreRefused() throws {
    defer { remove() }
    let path = try file("phone aaaaaaaaaaaaaaaa\n", mode: 0o640)
    let problem = #expect(throws: TokenFile.Problem.self) { try TokenFile(path) { _ in } }
    #expect(problem?.description.contains("chmod 600") == true)
  }

  /// Passes and keys survive a restart, and end with the token, even if a new one has the same name.
  @Test func passesBelongToTheirToken() throws {
    defer { remove() }
    let (two, now) = ("phone aaaaaaaaaaaaaaaa\nTV bbbbbbbbbbbbbbbb\n", Date(timeIntervalSince1970: 1_000_000))
    let tokens = AccessTokens(file: try TokenFile(try file(two)) { _ in })
    #expect(tokens.areNeeded && !AccessTokens(file: nil).areNeeded)
    let restarted = AccessTokens(file: try TokenFile(try file(two)) { _ in })
    let passes = try ["phone", "TV"].map { name in
      let pass = try #require(tokens.pass(for: name, kind: .bearer, lasting: 60, now: now))
      let key = try #require(tokens.coverKey(for: "one", as: name))
      #expect(restarted.name(ofPass: pass, kind: .bearer, now: now) == name)
      #expect(restarted.name(ofCoverKey: key, for: "one") == name)
      return (name, pass, key)
    }
    let replaced = AccessTokens(
      file: try TokenFile(try file("phone cccccccccccccccc\nTV bbbbbbbbbbbbbbbb\n")) { _ in })
    for (name, pass, key) in passes {
      let remaining = name == "TV" ? name : nil
      #expect(replaced.name(ofPass: pass, kind: .bearer, now: now) == remaining)
      #expect(replaced.name(ofCoverKey: key, for: "one") == remaining)
    }
    #expect(tokens.pass(for: nil, kind: .bearer, lasting: 60) == nil && tokens.coverKey(for: "one", as: nil) == nil)
    #expect(AccessTokens(file: nil).coverKey(for: "one", as: "phone") == nil)
    #expect(AccessTokens(file: nil).name(ofSecret: "aaaaaaaaaaaaaaaa") == nil)
    #expect(AccessTokens(file: nil).name(ofSubsonicToken: "46e8c5065f1d8080b4a38962f69b264b", salt: "salt") == nil)
  }

  @Test func base64NeedsNoPadding() {
    for count in 0...9 {
      let data = Data((0..<count).map { UInt8(250 - $0) })
      let text = data.base64URL
      #expect(text.utf8.count == (count * 8 + 5) / 6 && !text.contains { "+/=".contains($0) })
      #expect(Data(base64URL: text) == data, "\(count) bytes")
    }
    #expect(Data([251, 255]).base64URL == "-_8")
  }

  @Test func theCookieIsForThirtyDaysAndForNoScript() {
    #expect(
      AppCookie.header("x.y.z", isSecure: false)
        == "nocturne=x.y.z; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict")
    #expect(
      AppCookie.header("x.y.z", isSecure: true)
        == "nocturne=x.y.z; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure")
    #expect(AppCookie.expired(isSecure: false) == "nocturne=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict")
    #expect(AppCookie.expired(isSecure: true) == "nocturne=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure")
  }
}

@Suite(.bounded) struct FailedAttemptsTests {
  private let failures = FailedAttempts()
  private let now = ContinuousClock.now

  /// One of many networks, by number.
  private func network(_ number: Int) -> NetworkAddress? { NetworkAddress("10.0.\(number / 256).\(number % 256)") }

  @Test func guessingHasToWait() throws {
    let (one, other) = (NetworkAddress("192.0.2.1"), NetworkAddress("192.0.2.2"))
    for _ in 0..<20 {
      #expect(failures.wait(for: one, now: now) == nil)
      failures.add(one, now: now)
    }
    #expect(failures.wait(for: one, now: now) == .seconds(60))
    #expect(failures.wait(for: one, now: now + .milliseconds(59_999)) == .milliseconds(1))
    #expect(failures.wait(for: one, now: now + .seconds(60)) == nil)
    #expect(failures.wait(for: other, now: now) == nil)
    // The next minute is counted anew.
    for _ in 0..<19 { failures.add(one, now: now + .seconds(60)) }
    #expect(failures.wait(for: one, now: now + .seconds(60)) == nil)
    failures.add(one, now: now + .seconds(119))
    #expect(failures.wait(for: one, now: now + .seconds(119)) == .seconds(1))
  }

  /// All addresses of an IPv6 network count together.
  @Test func addressesOfANetworkShareTheirAttempts() {
    for number in 1...20 { failures.add(NetworkAddress("2001:db8::\(number)"), now: now) }
    #expect(failures.wait(for: NetworkAddress("2001:db8::ffff"), now: now) != nil)
    #expect(failures.wait(for: NetworkAddress("2001:db8:0:1::1"), now: now) == nil)
  }

  @Test func theAnswerSaysWhenToTryAgain() throws {
    let one = NetworkAddress("192.0.2.1")
    for _ in 0..<20 { try failures.note(one) }
    let error = #expect(throws: RequestError.self) { try failures.note(one) }
    let passed = Int((ContinuousClock.now - now).components.seconds)
    #expect(error?.status == .tooManyRequests)
    #expect((60 - passed...60).contains(error?.retryAfter ?? 0))
    try failures.note(NetworkAddress("192.0.2.2"))
  }

  /// An attack from more networks than are counted does not go on without a limit.
  @Test func networksBeyondTheLimitShareOneCount() {
    for number in 0..<4095 { failures.add(network(number), now: now) }
    // The last one with a count of its own.
    for _ in 0..<19 { failures.add(network(4095), now: now) }
    for number in 0..<19 { failures.add(network(5000 + number), now: now) }
    #expect(failures.wait(for: network(6000), now: now) == nil && failures.wait(for: network(4095), now: now) == nil)
    failures.add(network(6000), now: now)
    #expect(failures.wait(for: network(6000), now: now) == .seconds(60))
    #expect(failures.wait(for: network(7000), now: now) == .seconds(60))
    // Networks with a count of their own are not concerned.
    #expect(failures.wait(for: network(0), now: now) == nil && failures.wait(for: network(4095), now: now) == nil)
    failures.add(network(4095), now: now)
    #expect(failures.wait(for: network(4095), now: now) == .seconds(60))
    #expect(failures.wait(for: network(7000), now: now + .seconds(60)) == nil)
  }

  /// Ended counts make room for others.
  @Test func endedCountsAreRemoved() {
    for number in 0..<4096 { failures.add(network(number), now: now) }
    let later = now + .seconds(60)
    for number in 0..<20 { failures.add(network(5000 + number), now: later) }
    for number in [5000, 6000] { #expect(failures.wait(for: network(number), now: later) == nil) }
  }
}

@Suite(.bounded) struct CredentialsTests {
  @Test func clientsShowTokensInTheirWays() {
    #expect(Credentials(authorization: "bearer x") == .bearer("x"))
    #expect(Credentials(authorization: "Basic dTpw") == .secret("p"))
    #expect(Credentials(authorization: "Digest x") == nil)
    #expect(Credentials(parameters: FormFields("u=a&p=enc:7061"), of: .subsonic) == .secret("pa"))
    #expect(Credentials(parameters: FormFields("t=x&s=y"), of: .subsonic) == .salted(token: "x", salt: "y"))
    #expect(Credentials(parameters: FormFields("apiKey=a%2Bb+c"), of: .subsonic) == .secret("a+b c"))
    #expect(Credentials(parameters: FormFields("client=k"), of: .acoustID) == .secret("k"))
    #expect(Credentials(parameters: FormFields("t=x"), of: .subsonic) == nil)
    #expect(Credentials(parameters: FormFields("s=x"), of: .subsonic) == nil)
    #expect(Credentials(parameters: FormFields("apiKey=a"), of: .acoustID) == nil)
    #expect(Credentials(parameters: FormFields("client=a"), of: .subsonic) == nil)
  }

  @Test(arguments: ["", "Bearer", "Bearer ", "Basic", "Basic !", "Basic dXA=", "Basic gA==", "x"])
  func otherHeadersAreNoCredentials(header: String) {
    #expect(Credentials(authorization: header) == nil)
  }

  @Test func secretsMayContainAnything() {
    #expect(Credentials(authorization: "BEARER a b c") == .bearer("a b c"))
    // u:p:q
    #expect(Credentials(authorization: "BASIC dTpwOnE=") == .secret("p:q"))
    #expect(Credentials(authorization: "Basic Og==") == .secret(""))
  }

  /// Passwords of Subsonic: anything after `enc:` that is not pairs of digits is the password itself.
  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("enc", "enc"), ("enc:7061", "pa"), ("enc:7A6f", "zo"), ("enc:", ""),
    ("enc:706", "enc:706"), ("enc:70zz", "enc:70zz"), ("Enc:7061", "Enc:7061"), ("enc:c3a9", "é"),
  ])
  func passwordsMayBeEncoded(text: String, secret: String) {
    #expect(Credentials(parameters: FormFields("p=\(text)"), of: .subsonic) == .secret(secret))
  }

  @Test func secretsAreNotLogged() {
    #expect(
      LoggedTarget.text(of: "/rest/x?u=me&p=secret&T=a&%61piKey=b&id=1") == "/rest/x?u=me&p=…&T=…&%61piKey=…&id=1")
    #expect(LoggedTarget.text(of: "/v1/x") == "/v1/x")
    #expect(LoggedTarget.text(of: "/v1/x?") == "/v1/x?")
    // Empty fields stay, and names without a value are no secrets.
    #expect(LoggedTarget.text(of: "/v1/x?&key=&&token&id=key") == "/v1/x?&key=…&&token&id=key")
    let names = [
      "apiKey", "api_key", "access_token", "client", "client_secret", "key", "p", "password", "s", "secret", "t",
      "token",
    ]
    for name in names {
      #expect(LoggedTarget.text(of: "/x?\(name)=a=b&q=a") == "/x?\(name)=…&q=a")
      #expect(LoggedTarget.text(of: "/x?\(name.uppercased())=a") == "/x?\(name.uppercased())=…")
    }
  }
}

@Suite(.bounded) struct ListeningRulesTests {
  private func problem(_ change: (inout ServingOptions) throws -> Void) rethrows -> String? {
    var options = ServingOptions()
    try change(&options)
    return ListeningRules.problem(with: options)
  }

  @Test func thisMachineNeedsNoTokens() {
    #expect(problem { _ in } == nil)
    for host in ["127.0.0.1", "127.1.2.3", "::1", "localhost", "LocalHost"] {
      #expect(problem { $0.host = host } == nil, "\(host)")
    }
  }

  /// Each option that lets other machines connect is named, and each is fine with tokens.
  @Test func otherMachinesNeedTokens() throws {
    let proxy = try #require(NetworkRange("10.0.0.1"))
    let changes: [(String, (inout ServingOptions) -> Void)] = [
      ("--host 0.0.0.0 ", { $0.host = "0.0.0.0" }), ("--host :: ", { $0.host = "::" }),
      ("--host 192.168.1.2 ", { $0.host = "192.168.1.2" }), ("--host box ", { $0.host = "box" }),
      ("--name music.example.org ", { $0.names = ["music.example.org"] }),
      ("--trust-proxy ", { $0.trustedProxies = [proxy] }),
    ]
    for (option, change) in changes {
      let text = try #require(problem(change))
      #expect(text.hasPrefix(option) && text.contains("--token-file FILE") && text.hasSuffix(ListeningRules.advice))
      #expect(
        problem {
          change(&$0)
          $0.tokenFile = "/tokens"
        } == nil)
    }
  }
}
