internal import Analysis
internal import Platform
internal import SystemPackage

extension FilePath.Component {
  /// The name converted to text that the file systems of other computers accept. Control characters, characters not
  /// allowed on Windows, percent signs and invalid UTF-8 are percent-encoded. Long names are cut off and end with a
  /// digest, which leaves room for an extension within the 255 bytes of a name. Different names stay different.
  var safeName: String {
    let bytes = FilePath(root: nil, [self]).withBytes { Array($0) }
    let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
    var name = ""
    for scalar in isUTF8 ? Array(String(decoding: bytes, as: UTF8.self).unicodeScalars) : [] {
      if scalar.value < 0x20 || scalar.value == 0x7F || Self.unsafe.contains(scalar) {
        name += FilePath(bytes: Array(String(scalar).utf8)).percentEncoded
      } else {
        name.unicodeScalars.append(scalar)
      }
    }
    if !isUTF8 { name = FilePath(bytes: bytes).percentEncoded }
    guard name.utf8.count > Self.maxLength else { return name }
    let digest = ContentID(hashing: bytes).description.prefix(Self.digestLength)
    while name.utf8.count > Self.maxLength - Self.digestLength - 1 { name.unicodeScalars.removeLast() }
    return "\(name)~\(digest)"
  }

  private static let unsafe = Set("%\\:*?\"<>|".unicodeScalars)
  private static let maxLength = 220
  private static let digestLength = 11
}
