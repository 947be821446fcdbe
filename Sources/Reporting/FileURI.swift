internal import AudioAnalysis
internal import SystemPackage

/// `file://` and the bytes of the path; all but unreserved characters (RFC 3986) and slashes are percent-encoded.
func fileURI(_ path: FilePath) -> String {
  path.withBytes { bytes in
    var uri = Array("file://".utf8)
    uri.reserveCapacity(bytes.count + 16)
    for byte in bytes {
      if isUnreserved[Int(byte)] {
        uri.append(byte)
      } else {
        uri += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
      }
    }
    return String(decoding: uri, as: UTF8.self)
  }
}

private let hexDigits = Array("0123456789ABCDEF".utf8)

private let isUnreserved: [Bool] = {
  let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
  return (0...255).map { unreserved.contains(UInt8($0)) }
}()
