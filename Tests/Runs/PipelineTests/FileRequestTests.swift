import AnalysisTesting
import Platform
import SystemPackage
import Testing

@testable import Pipeline

/// Lines of input for `analyze worker`.
@Suite(.bounded) struct FileRequestTests {
  private func request(_ line: String) -> FileRequest { FileRequest(line: Array(line.utf8), workingFolder: "/w") }

  private func code(_ line: String) -> String? {
    if case .failure(let refusal) = request(line).target { refusal.code } else { nil }
  }

  @Test(
    arguments: [
      ("a.wav", "/w/a.wav"), ("/m/a.wav", "/m/a.wav"), (#"{"path": "x/a.wav"}"#, "/w/x/a.wav"),
      (#"{"path": "s3://b/k"}"#, "/w/s3:/b/k"), ("file:/m/a%20b.wav", "/m/a b.wav"), ("FILE:///m/a", "/m/a"),
      (#"{"uri": "file:///m/../n/a"}"#, "/n/a"),
    ])
  func files(line: String, path: String) { #expect(request(line).target == .success(.file(FilePath(path)))) }

  @Test(
    arguments: [
      ("", "empty_line"), (#"{"path": ""}"#, "empty_line"), ("a\0b", "bad_line"), ("{", "bad_line"), ("{}", "bad_line"),
      (#"{"path": 5}"#, "bad_line"), (#"{"path": "a", "uri": "file:///a"}"#, "bad_line"),
      (#"{"key": 5, "path": "a"}"#, "bad_line"), (#"{"uri": "a.wav"}"#, "bad_uri"), ("file://host/a", "bad_uri"),
      ("s3://", "bad_uri"), ("ftp://host/a.wav", "unsupported_scheme"),
      (#"{"uri": "ftp://h/a"}"#, "unsupported_scheme"), ("x://h/a", "unsupported_scheme"), ("[1]{", nil),
    ])
  func mistakes(line: String, code: String?) { #expect(self.code(line) == code) }

  @Test func objects() throws {
    for line in ["s3://bucket/key.wav", #"{"uri": "s3://bucket/key.wav"}"#] {
      #expect(request(line).target == .success(.object(try ObjectAddress(uri: "s3://bucket/key.wav".utf8))))
    }
  }

  /// The key is the given one or else the line itself, without passwords and signatures.
  @Test(
    arguments: [
      ("a.wav", "a.wav"), (#"{"path": "a.wav"}"#, "a.wav"), (#"{"path": "a.wav", "key": "k"}"#, "k"),
      (#"{"uri": "file:///a", "key": "k"}"#, "k"), (#"{"uri": "file:///a"}"#, "file:///a"),
      (#"{"key": "k"}"#, "k"), ("{", "{"), ("https://me:secret@host/a.wav?sig=x", "https://host/a.wav"),
      (#"{"uri": "https://host/a.wav?sig=x", "key": "k"}"#, "k"), ("s3://bucket/a?b", "s3://bucket/a?b"),
      // Mistakes, too, are shown without secrets, but only in the names of objects is anything secret.
      ("https://me:secret@host/?sig=x", "https://host/"), ("ftp://me:a@host/a?b", "ftp://me:a@host/a?b"),
      ("file://me:a@host/a?b", "file://me:a@host/a?b"),
    ])
  func keys(line: String, key: String) {
    let found = request(line)
    #expect(found.key == key && found.keyBytes == Array(key.utf8))
  }

  /// Longer schemes do not exist; names with a colon do.
  @Test func schemesAreShort() {
    let (longest, tooLong) = (String(repeating: "x", count: 31), String(repeating: "x", count: 32))
    #expect(code("\(longest)://a") == "unsupported_scheme")
    #expect(request("\(tooLong)://a").target == .success(.file(FilePath("/w/\(tooLong):/a"))))
    for name in ["://a", "1://a", "x:a", "x:/a"] {
      let path = FilePath("/w").pushing(FilePath(name)).lexicallyNormalized()
      #expect(request(name).target == .success(.file(path)))
    }
  }

  @Test func overlongLinesHaveTheirStartAsKey() {
    let found = FileRequest(tooLong: Array("abc".utf8))
    #expect(found.key == "abc")
    guard case .failure(let refusal) = found.target, refusal.code == "line_too_long" else {
      Issue.record("\(found)")
      return
    }
  }
}
