internal import Platform
package import SystemPackage
internal import Text

/// How records of files name them.
extension Field {
  package static func uri(_ path: @escaping @Sendable (Record) -> FilePath) -> Field {
    .required("uri", .uri, "The file, with the bytes of its path percent-encoded.") { path($0).fileURI }
  }

  package static func path(_ path: @escaping @Sendable (Record) -> FilePath) -> Field {
    .required("path", .text, "Absolute path for display, as in reports.") { DisplayPath.text(of: path($0)) }
  }
}
