import AnalysisTesting
import SystemPackage
import Testing

@testable import Platform

/// Paths as text: percent-encoding, escapes, file URIs, queries with secrets.
@Suite(.bounded) struct PathTextTests {
  // MARK: Percent-encoding

  @Test func bytesAreEncodedUnlessTheyArePlain() {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    let digits = Array("0123456789ABCDEF")
    for byte in UInt8.min...UInt8.max {
      let escaped = "%\(digits[Int(byte / 16)])\(digits[Int(byte % 16)])"
      #expect(PercentEncoding.encoded([byte]) == (plain.contains(byte) ? String(UnicodeScalar(byte)) : escaped))
      #expect(FilePath.percentEncoded([byte]) == (byte == 0x2F ? "/" : PercentEncoding.encoded([byte])))
      #expect(PercentEncoding.decoded(Array(escaped.utf8)) == (byte == 0 ? nil : [byte]))
      #expect(PercentEncoding.decoded(Array(escaped.lowercased().utf8)) == (byte == 0 ? nil : [byte]))
    }
  }

  @Test(
    arguments: [
      ("", ""), ("a%41b", "aAb"), ("%41", "A"), ("%", nil), ("%4", nil), ("a%", nil), ("%4g", nil), ("%g4", nil),
      ("%/0", nil), ("%:0", nil), ("%@0", nil), ("%G0", nil), ("%`0", nil), ("%0/", nil), ("%0:", nil), ("%0@", nil),
      ("%0`", nil), ("a\0b", nil), ("%00", nil), ("%%41", nil), ("%2541", "%41"),
    ] as [(String, String?)]) func textIsDecoded(text: String, decoded: String?)
  {
    #expect(PercentEncoding.decoded(Array(text.utf8)) == decoded.map { Array($0.utf8) })
    #expect((PercentEncoding.normal(Array(text.utf8)) == nil) == (decoded == nil))
  }

  @Test(arguments: [
    ("%7E%41", "~A"), ("%2f", "%2F"), ("a b", "a%20b"), ("é", "%C3%A9"), ("%c3%a9", "%C3%A9"), ("%3A", "%3A"),
    (":/?#[]@!$&'()*+,;=", ":/?#[]@!$&'()*+,;="), ("<>\"\\^`{|}", "%3C%3E%22%5C%5E%60%7B%7C%7D"),
  ]) func equivalentTextsHaveOneForm(text: String, normal: String) {
    #expect(PercentEncoding.normal(Array(text.utf8)) == normal)
  }

  @Test(arguments: [
    ("%C3%A9", "é"), ("%20", " "), ("%1F", "%1F"), ("%21", "%21"), ("%7F", "%7F"), ("%25", "%25"), ("%2F", "%2F"),
    ("%41", "%41"), ("%7E", "%7E"), ("%5C", "\\"), ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("a%20b%", "a b%"),
    ("%7C", "|"), ("%7e", "%7e"),
  ]) func textIsReadable(text: String, readable: String) {
    let found = PercentEncoding.readable(Array(text.utf8))
    #expect(found == Array(readable.utf8))
    // Readable text is sent as before.
    #expect(
      PercentEncoding.decoded(Array(PercentEncoding.sendable(found).utf8)) == PercentEncoding.decoded(Array(text.utf8)))
  }

  @Test func requestsKeepDelimiters() {
    #expect(PercentEncoding.sendable(Array("a%41:/?#[]@!$&'()*+,;= é<".utf8)) == "a%41:/?#[]@!$&'()*+,;=%20%C3%A9%3C")
  }

  @Test(
    arguments: [
      ("a/b", "a/b"), ("/a", "%2Fa"), ("a//b", "a/%2Fb"), ("a///", "a/%2F%2F"), ("a/b/c", "a/b/c"),
      ("a/.b/..c", "a/.b/..c"), ("a?b#c[d]%", "a%3Fb%23c%5Bd%5D%25"), (":@!$&'()*+,;=", ":@!$&'()*+,;="),
      (".", nil), ("..", nil), ("a/.", nil), ("../a", nil), ("a/./b", nil),
    ] as [(String, String?)]) func keysArePaths(key: String, path: String?)
  {
    #expect((try? PercentEncoding.path(ofKey: Array(key.utf8))) == path)
  }

  // MARK: Display paths

  /// The shown form of bytes, character by character.
  private func shown(_ bytes: [UInt8]) -> String {
    var text = ""
    var index = 0
    while index < bytes.count {
      let lengths = (1...4).filter { index + $0 <= bytes.count }
      let found = lengths.lazy.compactMap { String(validating: bytes[index..<index + $0], as: UTF8.self) }.first
      let digits = String(bytes[index], radix: 16, uppercase: true)
      text += found ?? #"\x"# + (digits.count < 2 ? "0" : "") + digits
      index += found?.utf8.count ?? 1
    }
    return text
  }

  @Test func bytesThatAreNotUTF8AreEscaped() {
    let seconds: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    let tails: [[UInt8]] = [
      [], [0x80], [0xBF, 0x80], [0x80, 0xBF], [0x7F], [0x80, 0xC0], [0xC0, 0x80], [0x80, 0x7F],
    ]
    for first in [0x00, 0x01, 0x41, 0x7E, 0x7F] + Array(0x80...0xFF as ClosedRange<UInt8>) {
      for second in seconds {
        for tail in tails {
          // The last byte is never valid, so that the text is not taken as it is.
          for bytes in [[first, second] + tail, [first, second] + tail + [0xFF]] {
            let text = bytes.withUnsafeBufferPointer { DisplayPath.text(of: $0) }
            guard text.utf8.elementsEqual(shown(bytes).utf8) else {
              Issue.record("\(bytes): \(text)")
              return
            }
            guard DisplayPath.path(from: text).bytes == bytes.filter({ $0 != 0 }) else {
              Issue.record("\(bytes): not restored")
              return
            }
          }
        }
      }
    }
  }

  @Test(arguments: [
    (#"a\xFF"#, #"a\x5CxFF"#), (#"\x00"#, #"\x5Cx00"#), (#"\xff"#, #"\xff"#), (#"\xF"#, #"\xF"#), (#"\x"#, #"\x"#),
    (#"x\"#, #"x\"#), (#"\y41"#, #"\y41"#), (#"\x4G"#, #"\x4G"#), (#"\xG4"#, #"\xG4"#), (#"\\x41"#, #"\\x5Cx41"#),
    (#"\x41\x42"#, #"\x5Cx41\x5Cx42"#), (#"/xFF"#, #"/xFF"#), (#"é\xC3"#, #"é\x5CxC3"#),
  ]) func escapesInNamesAreEscaped(name: String, text: String) {
    #expect(DisplayPath.text(of: FilePath(name)) == text)
    #expect(DisplayPath.path(from: text).string == name)
    #expect(DisplayPath.text(of: FilePath(bytes: [0xFF] + Array(name.utf8))) == #"\xFF"# + text)
  }

  @Test func pathsHaveNoZeros() {
    #expect(FilePath(bytes: [0, 0x61, 0, 0x62, 0]).bytes == [0x61, 0x62])
    #expect(FilePath(bytes: []).isEmpty && FilePath(bytes: []).bytes == [])
  }

  // MARK: File URIs

  @Test(
    arguments: [
      ("file:///a", "/a"), ("file://localhost/a", "/a"), ("FILE://LocalHost/a%20b", "/a b"), ("file:/a?b#c", "/a?b#c"),
      ("file:////a", "/a"), ("file:/", "/"), ("file:///%E9", nil),
    ] as [(String, String?)]) func fileURIs(text: String, path: String?) throws
  {
    let found = try FilePath(fileURI: text.utf8)
    #expect(path == nil ? found.bytes == [0x2F, 0xE9] : found == FilePath(path ?? ""))
  }

  @Test(arguments: [
    ("file://host/a", FileURIError.otherHost("host")), ("file://localhost", .notAbsolute), ("file:a", .notAbsolute),
    ("file:", .notAbsolute), ("file://", .notAbsolute), ("file:///%", .badEscape), ("file:///%00", .badEscape),
    ("file://h%/a", .otherHost("h%")),
  ]) func otherURIs(text: String, error: FileURIError) {
    #expect(throws: error) { try FilePath(fileURI: text.utf8) }
    #expect(error.message.hasSuffix("."))
  }

  // MARK: Object names

  @Test(
    arguments: [
      ("s3://\(String(repeating: "b", count: 255))/a", nil),
      ("s3://\(String(repeating: "b", count: 256))/a", .badBucket),
      ("s3://-b/a", .badBucket), ("s3://b-/a", nil), ("s3://b%41/a", .badBucket), ("gs://B.c_d-e/a", nil),
      ("http://h:1/a", nil), ("http://h:12345/a", nil), ("http://h:123456/a", .badHost), ("http://h:/a", .badHost),
      ("http://h:x/a", .badHost), ("http://[::1]/a", nil), ("http://[::g]/a", .badHost), ("http://[::1/a", .badHost),
      ("http://:80/a", .badHost), ("http://a@/b", .noHost), ("http://%41@h/b", nil), ("http://%zz@h/b", .badEscape),
      ("http://a%1F@h/b", .badUser), ("http://a%7F@h/b", .badUser), ("http://a%20@h/b", nil), ("ftp://h/a", .noHost),
      ("http:/h/a", .noHost), ("http://h/.", .badPart), ("http://h/a/..", .badPart), ("http://h/.a", nil),
      ("http://h/a?%zz", .badEscape), ("http://h?a", .noFile), ("http://h/?a", .noFile), ("http://h#a", .noFile),
    ] as [(String, ObjectNameError?)]) func limitsOfObjectNames(uri: String, error: ObjectNameError?)
  {
    do throws(ObjectNameError) {
      _ = try ObjectAddress(uri: Array(uri.utf8))
      #expect(error == nil)
    } catch let found {
      #expect(found == error && found.message.hasSuffix("."))
    }
  }

  @Test func addressesKeepWhatIsSecret() throws {
    func address(_ uri: String) throws -> ObjectAddress { try ObjectAddress(uri: Array(uri.utf8)) }
    let signed = try address("https://us%20er:p%40@Host/a%7Eb/c?x=1&sig=2#f")
    #expect(signed.user == "us er:p@" && signed.target == "/a%7Eb/c?x=1&sig=2" && signed.hasSecrets)
    #expect(signed.name.authority == "host" && signed.name.encodedPath == "a~b/c" && signed.name.scheme == .https)
    let plain = try address("http://h:80/a b/%C3%A9?x=1")
    #expect(plain.user == nil && plain.target == "/a%20b/%C3%A9?x=1" && !plain.hasSecrets)
    #expect(plain.name.fileName == Array("é".utf8) && plain.name.key == Array("a b/é".utf8))
    #expect(try !address("http://h/a").hasSecrets && address("http://u@h/a").hasSecrets)
    #expect(try !address("http://h/a%7E").hasSecrets && address("http://h/a?token=1").hasSecrets)
    let object = try address("s3://b/a?x=1")
    #expect(!object.hasSecrets && object.target == "" && object.user == nil && object.name.key == Array("a?x=1".utf8))
    #expect(ObjectName.Scheme.allCases.map(\.hasBuckets) == [false, false, true, true])
    #expect(ObjectName.scheme(of: "HTTPS://".utf8) == .https && ObjectName.scheme(of: "gs://x".utf8) == .gs)
    #expect(ObjectName.scheme(of: "https:/x".utf8) == nil && ObjectName.scheme(of: "".utf8) == nil)
  }

  @Test(arguments: [
    ("https://u:p@h/a/%zz?token=x", "https://h/a/%zz"), ("https://h/a#b", "https://h/a"), ("s3://b/a@c", "s3://b/a@c"),
    ("https://a@b@h/c", "https://h/c"), ("https://u@h", "https://h"), ("nothing", ""), ("https:", "https:"),
  ]) func secretsAreNotShown(uri: String, shown: String) {
    #expect(String(decoding: ObjectAddress.withoutSecrets(Array(uri.utf8)), as: UTF8.self) == shown)
  }

  @Test(arguments: [
    ("", ""), ("a=1&b=2", "a=1&b=2"), ("a=1&&b=2&", "a=1&b=2"), ("token", ""), ("token=x&a", "a"),
    ("TOKEN=x&a=/", "a=%2F"),
    ("x-amz-date=1&a=1", "a=1"), ("X-Goog-Date=1", ""), ("xamz=1", "xamz=1"),
    ("expires=1&policy=2", "expires=1&policy=2"),
    ("expires=1&policy=2&signature=3", ""), ("st=1&sig=2&b=3", "b=3"), ("st=1&b=3", "st=1&b=3"), ("%74oken=1", ""),
    ("tok%zz=1", "tok%zz=1"), ("password=1&pass=2", "pass=2"), ("=1", "=1"),
  ]) func secretsInQueries(query: String, kept: String) {
    #expect(SecretQuery.removed(from: query) == kept)
  }
}

@Suite(.bounded) struct ServerAddressTests {
  @Test(
    arguments: [
      ("http://host", "host", 8642), ("http://Host:80", "host", 80), ("HTTP://host:65535/", "host", 65535),
      ("http://host:1", "host", 1), ("http://[::1]", "::1", 8642), ("http://[::1]:80/", "::1", 80),
      ("http://10.0.0.1:8642", "10.0.0.1", 8642), ("http://a~!$b", "a~!$b", 8642),
    ] as [(String, String, Int)]) func addresses(text: String, host: String, port: Int) throws
  {
    let address = try ServerAddress(text)
    #expect(address.host == host && address.port == port)
    #expect(try ServerAddress(address.description) == address)
  }

  @Test func descriptionsHaveBracketsIfNeeded() throws {
    #expect(try ServerAddress("http://Host").description == "http://host:8642")
    #expect(try ServerAddress("http://[FE80::1]:80").description == "http://[fe80::1]:80")
    #expect(try ServerAddress("http://[FE80::1]:80").authority == "[fe80::1]:80")
  }

  @Test(arguments: [
    ("", ServerAddress.Problem.malformed), ("host:80", .malformed), ("http://", .malformed), ("http:///", .malformed),
    ("https://host", .encrypted), ("HTTPS://u@host", .encrypted), ("http://u:p@host", .hasSecret),
    ("http://host:0", .malformed), ("http://host:65536", .malformed), ("http://host:x", .malformed),
    ("http://host:", .malformed), ("http://:80", .malformed), ("http://::1", .malformed), ("http://a::80", .malformed),
    ("http://[::1", .malformed), ("http://::1]", .malformed), ("http://[]", .malformed), ("http://ho st", .malformed),
    ("http://host/a", .malformed), ("http://host//", .malformed), ("http://höst", .malformed),
    ("http://host?x", .malformed), ("http://host#x", .malformed), ("http://a\u{7F}", .malformed),
    ("http://a\u{1F}", .malformed), ("http://a|b", .malformed), ("http://[a]b]:1", .malformed),
  ]) func otherAddresses(text: String, problem: ServerAddress.Problem) {
    #expect(throws: problem) { try ServerAddress(text) }
    #expect(!problem.description.isEmpty)
  }
}
