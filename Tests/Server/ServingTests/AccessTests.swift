import Foundation
import HTTPTypes
import SystemPackage
import Testing

@testable import Serving

@Suite struct ServedNamesTests {
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
}

@Suite struct PageOriginTests {
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
    #expect(origin([.secFetchSite: "cross-site", .secFetchMode: "navigate", .secFetchDest: "document"]) == .navigation)
  }

  @Test func anOriginCanBeAllowed() {
    #expect(origin([.origin: "https://player.example"]) == .allowed("https://player.example"))
    #expect(origin([.origin: "http://player.example"]) == .foreign)
  }
}

@Suite struct NetworkTests {
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

@Suite struct AccessTokensTests {
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

  @Test func guessingHasToWait() throws {
    let failures = FailedAttempts()
    let (one, other) = (NetworkAddress("192.0.2.1"), NetworkAddress("192.0.2.2"))
    let now = ContinuousClock.now
    for _ in 0..<FailedAttempts.maximum {
      #expect(failures.wait(for: one, now: now) == nil)
      failures.add(one, now: now)
    }
    #expect(failures.wait(for: one, now: now) != nil)
    #expect(failures.wait(for: other, now: now) == nil)
    #expect(failures.wait(for: one, now: now + .seconds(61)) == nil)
  }
}

@Suite struct CredentialsTests {
  @Test func clientsShowTokensInTheirWays() {
    #expect(Credentials(authorization: "bearer x") == .bearer("x"))
    #expect(Credentials(authorization: "Basic dTpw") == .secret("p"))
    #expect(Credentials(authorization: "Digest x") == nil)
    #expect(Credentials(parameters: FormFields("u=a&p=enc:7061"), of: .subsonic) == .secret("pa"))
    #expect(Credentials(parameters: FormFields("t=x&s=y"), of: .subsonic) == .salted(token: "x", salt: "y"))
    #expect(Credentials(parameters: FormFields("apiKey=a%2Bb+c"), of: .subsonic) == .secret("a+b c"))
    #expect(Credentials(parameters: FormFields("client=k"), of: .acoustID) == .secret("k"))
    #expect(Credentials(parameters: FormFields("t=x"), of: .subsonic) == nil)
  }

  @Test func secretsAreNotLogged() {
    #expect(
      LoggedTarget.text(of: "/rest/x?u=me&p=secret&T=a&%61piKey=b&id=1") == "/rest/x?u=me&p=…&T=…&%61piKey=…&id=1")
    #expect(LoggedTarget.text(of: "/v1/x") == "/v1/x")
  }
}
