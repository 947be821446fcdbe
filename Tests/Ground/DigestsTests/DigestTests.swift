import AnalysisTesting
import Digests
import Testing

/// Test vectors from the specifications.
@Suite(.bounded) struct DigestTests {
  @Test func sha256AsInFIPS180() {
    #expect(
      Digest.sha256(of: Array("abc".utf8)).description
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      Digest.sha256(of: []).description == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func md5AsInRFC1321() {
    #expect(Digest.md5(of: Array("message digest".utf8)).description == "f96b697d7cb7938d525a2f31aaf161d0")
  }

  /// Test case 2 of RFC 4231, whose key is a word.
  @Test func signatureAsInRFC4231() {
    let key = SigningKey(bytes: Array("Jefe".utf8))
    #expect(
      key.signature(of: "what do ya want for nothing?").description
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  /// Test case 3 of RFC 5869 has neither salt nor purpose.
  @Test func derivedKeyAsInRFC5869() {
    let key = SigningKey(bytes: [UInt8](repeating: 0x0b, count: 22))
    let output = Digest(hexadecimal: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
    #expect(
      output.map { key.derived(for: "").signature(of: "x") == SigningKey(bytes: $0.bytes).signature(of: "x") } == true)
    #expect(key.derived(for: "cookie").signature(of: "x") != key.derived(for: "cover").signature(of: "x"))
  }

  @Test func digestsAreEqualInEveryByte() {
    let digest = Digest.sha256(of: Array("a".utf8))
    #expect(Digest(hexadecimal: digest.description.uppercased()) == digest)
    for place in digest.bytes.indices {
      var bytes = digest.bytes
      bytes[place] ^= 1
      #expect(Digest(bytes: bytes) != digest)
    }
    #expect(Digest(bytes: Array(digest.bytes.dropLast())) != digest)
  }

  @Test(arguments: ["0", "0g", "é0", "0x"]) func noHexadecimal(_ text: String) {
    #expect(Digest(hexadecimal: text) == nil)
  }

  @Test func randomKeysDiffer() {
    #expect(SigningKey.random().signature(of: "x") != SigningKey.random().signature(of: "x"))
  }
}

@Suite(.bounded) struct RunningDigestTests {
  private func digest(_ parts: [[UInt8]], isSHA256: Bool) -> Digest {
    var running = Digest.Running(isSHA256: isSHA256)
    for part in parts { part.withUnsafeBytes { running.update($0) } }
    return running.finish()
  }

  @Test func partsAreOneMessage() {
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for length in [0, 1, 55, 56, 63, 64, 65, 999, 1_000] {
      let message = Array(bytes.prefix(length))
      for cut in [0, 1, 64, length] where cut <= length {
        let parts = [Array(message.prefix(cut)), [], Array(message.dropFirst(cut))]
        #expect(digest(parts, isSHA256: true) == Digest.sha256(of: message))
        #expect(digest(parts, isSHA256: false) == Digest.md5(of: message))
      }
    }
    #expect(digest([], isSHA256: true).bytes.count == 32 && digest([], isSHA256: false).bytes.count == 16)
  }

  /// The list is hashed with the length of each part, in eight bytes, before it.
  @Test func listsAreHashedWithTheirLengths() {
    let bytes: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9]
    #expect(Digest.sha256(ofList: [[7, 8], [], [9]]) == Digest.sha256(of: bytes))
    #expect(Digest.sha256(ofList: [[7], [8]]) != Digest.sha256(ofList: [[7, 8]]))
    #expect(Digest.sha256(ofList: []) == Digest.sha256(of: []))
  }

  @Test func hexadecimalHasTwoDigitsPerByte() {
    #expect(Digest(hexadecimal: "00fF10")?.bytes == [0, 255, 16] && Digest(hexadecimal: "")?.bytes == [])
    #expect(Digest(hexadecimal: "123") == nil && Digest(hexadecimal: "1 2 ") == nil)
    #expect(Digest(bytes: [1]) != Digest(bytes: [1, 0]) && Digest(bytes: []) == Digest(bytes: []))
  }

  @Test func keysOfAnyLengthSign() {
    // Keys longer than a block are hashed first (RFC 2104).
    let long = [UInt8](repeating: 0xAA, count: 131)
    let message = "Test Using Larger Than Block-Size Key - Hash Key First"
    let expected = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    #expect(SigningKey(bytes: long).signature(of: message).description == expected)
    #expect(SigningKey(bytes: Digest.sha256(of: long).bytes).signature(of: message).description == expected)
  }
}
