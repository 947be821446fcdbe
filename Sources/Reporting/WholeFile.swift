public import SystemPackage

/// Files that others read at any time: they see the old one or the new one, and never a part.
public enum WholeFile {
  /// Writes a file beside its place and renames it.
  public static func write(_ bytes: [UInt8], to path: FilePath) throws(ReportError) {
    let output = try ReportOutput(.file(path))
    try output.write(bytes)
    try output.finish()
  }
}
