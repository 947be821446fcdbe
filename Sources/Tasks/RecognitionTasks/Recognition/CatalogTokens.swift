internal import Platform
package import SystemPackage

/// The tokens that servers of catalogs want, from a text file: a line for each, with its address and the token. Empty
/// lines and those that begin with `#` say nothing.
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
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
      guard let first = words.first, first.first != "#" else { continue }
      guard words.count == 2, let address = try? ServerAddress(String(first)) else {
        // The line itself may hold a token, so it is not shown.
        throw CatalogTokensError(
          file: file, problem: "expects http://host:port and a token in line \(number + 1), with a space between them")
      }
      tokens[address] = String(words[1])
    }
  }

  subscript(_ address: ServerAddress) -> String? { tokens[address] }
}

/// Why the tokens of servers cannot be taken from a file.
package struct CatalogTokensError: Error, CustomStringConvertible {
  package let file: FilePath
  package let problem: String

  package var description: String { "The file of the setting catalog_tokens, \(file.string), \(problem)." }
}
