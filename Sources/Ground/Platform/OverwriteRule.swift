public import SystemPackage

/// The one rule for what a command may replace: a file that Nocturne did not write only if asked to (`--force`).
///
/// Never refused: a name that nothing has, an empty file, a device, a pipe or a descriptor (`/dev/stdout`). Always refused: a folder.
public struct OverwriteRule: Hashable, Sendable {
  /// Files of others may be replaced, too.
  public var allowsOthers: Bool

  public init(allowsOthers: Bool = false) {
    self.allowsOthers = allowsOthers
  }

  /// - Parameter proof: The proof that Nocturne wrote the file.
  public func check(_ file: FilePath, _ proof: OriginProof) throws(OverwriteError) {
    try check([(file, proof)])
  }

  /// Looks at all files before the first one is written.
  public func check(_ files: [(file: FilePath, proof: OriginProof)]) throws(OverwriteError) {
    var others: [(file: FilePath, lack: String)] = []
    for (file, proof) in files {
      switch try Self.kind(of: file) {
      case nil, .empty, .special: continue
      case .deadLink: if !allowsOthers { others.append((file, "leads nowhere")) }
      case .file: if !allowsOthers, !proof.isGiven(by: file) { others.append((file, proof.lack)) }
      }
    }
    if let first = others.first { throw .notOurs(first.file, lack: first.lack, otherCount: others.count - 1) }
  }

  private enum Kind {
    case file, empty, special, deadLink
  }

  private static func kind(of file: FilePath) throws(OverwriteError) -> Kind? {
    if DescriptorName(file) != nil { return .special }
    guard let status = try? FileStatus(at: file, followingLinks: true) else { return file.exists ? .deadLink : nil }
    switch status.kind {
    case .folder: throw .isFolder(file)
    case .regular: return status.size == 0 ? .empty : .file
    default: return .special
    }
  }
}

/// Why a file is not replaced. Nothing was written.
public enum OverwriteError: Error, Hashable, Sendable {
  /// Nothing shows that Nocturne wrote it, nor so `otherCount` more. `lack` completes “it …”.
  case notOurs(FilePath, lack: String, otherCount: Int)
  /// A file should get its name.
  case isFolder(FilePath)
}

extension OverwriteError: CustomStringConvertible {
  public var description: String { description(remedy: "use --force to replace") }

  /// The problem, and what to do, for a command whose `--force` means something else.
  public var descriptionWithoutForce: String { description(remedy: nil) }

  private func description(remedy: String?) -> String {
    switch self {
    case .notOurs(let file, let lack, let others):
      let more = others == 0 ? "" : ", and so do \(others) other \(others == 1 ? "file" : "files")"
      let (it, them) = others == 0 ? ("it", "it") : ("the first", "them")
      return "\(DisplayPath.text(of: file)) exists\(more), and nothing shows that Nocturne wrote \(them): \(it) \(lack). "
        + "Nothing was written. Name another place, or \(remedy.map { "\($0) \(them)" } ?? "move \(them) away")."
    case .isFolder(let file):
      return "\(DisplayPath.text(of: file)) is a folder, and a file should be written there. Nothing was written. Name a file."
    }
  }
}
