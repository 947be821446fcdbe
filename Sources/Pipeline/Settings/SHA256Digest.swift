internal import CLibAV

/// SHA-256 (FIPS 180-4) of a few byte strings, each preceded by its length so that no two lists hash the same text.
enum SHA256Digest {
  static func text(of parts: [[UInt8]]) -> String {
    var bytes: [UInt8] = []
    for part in parts {
      withUnsafeBytes(of: UInt64(part.count).littleEndian) { unsafe bytes += $0 }
      bytes += part
    }
    var digest = [UInt8](repeating: 0, count: 32)
    let isDone = bytes.withUnsafeBufferPointer { bytes in
      digest.withUnsafeMutableBufferPointer { unsafe LAVSHA256(bytes.baseAddress, bytes.count, $0.baseAddress) }
    }
    precondition(isDone, "out of memory")
    return digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
