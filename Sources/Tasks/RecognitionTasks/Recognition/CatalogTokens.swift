internal import Platform
package import SystemPackage

/// The tokens for catalog servers, from a text file with one address and token per line. Empty lines and lines that
/// start with `#` are ignored.
struct CatalogTokens {
  private var tokens: [ServerAddress: String] = [:]

  /// - Throws: `CatalogTokensError`.
  init(in file: FilePath) throws(CatalogTokensError) {
    let bytes: [UInt8]
    do {
      bytes = try SmallFile.read(file, limit: 1 << 20)
    } catch {
      throw CatalogTokensError(file: file, problem: "cannot be read: \(error)")
    }
    // A carriage return and the line feed after it are one character.
    let lines = String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard let first = words.first, first.first != "#" else { continue }
      guard words.count == 2, let address = try? ServerAddress(String(first)) else {
        // The message does not show the line, because it may contain a token.
        throw CatalogTokensError(
          file: file, problem: "expects http://host:port and a token in line \(number + 1), with a space between them")
      }
      tokens[address] = String(words[1])
    }
  }

  subscript(_ address: ServerAddress) -> String? { tokens[address] }
}

/// The reason the tokens cannot be read.
package struct CatalogTokensError: Error, CustomStringConvertible {
  package let file: FilePath
  package let problem: String

  package var description: String { "The file of the setting catalog_tokens, \(file.string), \(problem)." }
}
