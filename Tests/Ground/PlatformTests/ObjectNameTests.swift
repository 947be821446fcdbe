import AnalysisTesting
import SystemPackage
import Testing

@testable import Platform

@Suite(.bounded) struct ObjectNameTests {
  private func name(_ uri: String) throws -> ObjectName { try ObjectAddress(uri: Array(uri.utf8)).name }

  @Test(arguments: [
    ("s3://bucket/a b/Bj%C3%B6rk.flac", "s3:/bucket/a b/Björk.flac", "s3://bucket/a%20b/Bj%C3%B6rk.flac"),
    ("s3://bucket/a?b#c%25+(1).flac", "s3:/bucket/a%3Fb%23c%25+(1).flac", "s3://bucket/a%3Fb%23c%25+(1).flac"),
    ("S3://bucket/a//b", "s3:/bucket/a/%2Fb", "s3://bucket/a/%2Fb"),
    ("gs://b_1.x/%2Fa%E9", "gs:/b_1.x/%2Fa\u{E9}", "gs://b_1.x/%2Fa%E9"),
    (
      "HTTPS://Host:8443/%7Ea%2fb/c%2Bd+e.flac#x", "https:/host:8443/~a%2Fb/c%2Bd+e.flac",
      "https://host:8443/~a%2Fb/c%2Bd+e.flac"
    ),
    ("https://h/a.flac?id=%C3%A9&u=x/y", "https:/h/a.flac?id=é&u=x%2Fy", "https://h/a.flac?id=%C3%A9&u=x%2Fy"),
    ("http://[::1]:80/a", "http:/[::1]:80/a", "http://[::1]:80/a"),
  ])
  func namesHaveOneFormAndLeadBack(uri: String, path: String, canonical: String) throws {
    let name = try name(uri)
    #expect(name.path.uri == canonical)
    #expect(ObjectName(name.path) == name)
    #expect(try self.name(canonical) == name)
    // Bytes that are not UTF-8 are shown differently.
    if !uri.contains("%E9") {
      #expect(name.path.string == path)
      let shown = DisplayPath.text(of: name.path)
      #expect(shown.contains("://") && DisplayPath.path(from: shown) == name.path)
      #expect(try self.name(shown) == name)
    }
    #expect(name.path.isObject && !name.path.isAbsolute)
  }

  @Test func keysAreTheirBytes() throws {
    for key in ["a b/Björk", "a//b", "/a", "a///", "%2F", "100%.flac", "a?b#c&d=e+f", "…/¿", "\u{1}"] {
      let encoded = FilePath.percentEncoded(Array(key.utf8)) + "x"
      #expect(try name("s3://b/\(encoded)").key == Array(key.utf8) + Array("x".utf8))
      let again = try #require(ObjectName(try name("s3://b/\(encoded)").path))
      #expect(again.key == Array(key.utf8) + Array("x".utf8))
    }
    let bytes: [UInt8] = [0xFF, 0xC3, 0x28, 0x20]
    #expect(try name("s3://b/\(FilePath.percentEncoded(bytes))").key == bytes)
  }

  @Test func secretsAreNotInNames() throws {
    for (uri, kept) in [
      (
        "https://u:p@h/a?X-Amz-Algorithm=A&X-Amz-Credential=C%2F&X-Amz-Signature=S&versionId=7",
        "https://h/a?versionId=7"
      ),
      ("https://h/a?Expires=1&Signature=s&Key-Pair-Id=k", "https://h/a"),
      ("https://h/a?expires=1", "https://h/a?expires=1"),
      ("https://h/a?sv=1&se=2&sp=r&sig=x&page=2", "https://h/a?page=2"),
      ("https://h/a?TOKEN=x&id=1", "https://h/a?id=1"),
      ("https://h/a?x%2Damz%2Dsignature=S", "https://h/a"), ("https://h/a?", "https://h/a"),
    ] {
      #expect(try name(uri).path.uri == kept)
      #expect(try ObjectAddress(uri: Array(uri.utf8)).hasSecrets == (uri != kept), "\(uri)")
    }
    let broken = ObjectAddress.withoutSecrets(Array("https://u:p@h/a/%zz?token=x".utf8))
    #expect(String(decoding: broken, as: UTF8.self) == "https://h/a/%zz")
  }

  @Test(arguments: [
    ("https:///a", ObjectNameError.noHost), ("https://h", .noFile), ("https://h/", .noFile), ("https://h/a/", .noFile),
    ("https://h/a//b", .badPart), ("https://h/../b", .badPart), ("https://h/%2e%2e/b", .badPart),
    ("https://h x/b", .badHost),
    ("https://h/%zz", .badEscape), ("https://h/%00", .badEscape), ("https://h/a%2", .badEscape),
    ("https://a%0Ab@h/a", .badUser),
    ("s3://b", .noFile), ("s3://b/", .noFile), ("s3://b/a/", .noFile), ("s3:///a", .badBucket),
    ("s3://b@c/a", .badBucket),
    ("s3://b/100%.flac", .badEscape), ("s3://b/a/../c", .badPart),
  ])
  func whatIsNoNameIsRefused(uri: String, error: ObjectNameError) {
    #expect(throws: error) { try name(uri) }
  }

  @Test func filesAreNoObjects() {
    for path in ["/s3:/b/a", "s3/b", "s3:b", "", "/", "httpsx:/a", "ftp:/h/a"] as [FilePath] {
      #expect(!path.isObject && ObjectName(path) == nil)
    }
    #expect(FilePath("/a b").uri == "file:///a%20b")
    #expect(DisplayPath.text(of: "/s3:/b") == "/s3:/b")
  }
}
