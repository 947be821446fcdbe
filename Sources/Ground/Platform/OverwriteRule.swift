public import SystemPackage

/// The rule for what a command may replace. Files that Nocturne did not write are replaced only on request (`--force`).
///
/// A name that does not exist, an empty file, a device, a pipe or a descriptor (`/dev/stdout`) is always allowed. A
/// folder is always refused.
public struct OverwriteRule: Hashable, Sendable {
  /// `true` to allow replacing files that Nocturne did not write.
  public var allowsOthers: Bool

  public init(allowsOthers: Bool = false) {
    self.allowsOthers = allowsOthers
  }

  /// - Parameter proof: Proof that Nocturne wrote the file.
  public func check(_ file: FilePath, _ proof: OriginProof) throws(OverwriteError) {
    try check([(file, proof)])
  }

  /// Checks all files before the first one is written.
  public func check(_ files: [(file: FilePath, proof: OriginProof)]) throws(OverwriteError) {
    var others: [(file: FilePath, objection: String)] = []
    for (file, proof) in files {
      switch try Self.kind(of: file) {
      case nil, .empty, .special: continue
      case .deadLink: if !allowsOthers { others.append((file, "leads nowhere")) }
      case .file: if !allowsOthers, !proof.isGiven(by: file) { others.append((file, proof.objection)) }
      }
    }
    if let first = others.first { throw .notOurs(first.file, objection: first.objection, otherCount: others.count - 1) }
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

/// The reason why a file is not replaced. Nothing was written.
public enum OverwriteError: Error, Hashable, Sendable {
  /// Nothing shows that Nocturne wrote this file and `otherCount` more. `objection` completes “it …”.
  case notOurs(FilePath, objection: String, otherCount: Int)
  case isFolder(FilePath)
}

extension OverwriteError: CustomStringConvertible {
  public var description: String { description(remedy: "use --force to replace") }

  /// The description for a command whose `--force` means something else.
  public var descriptionWithoutForce: String { description(remedy: nil) }

  private func description(remedy: String?) -> String {
    switch self {
    case .notOurs(let file, let objection, let others):
      let more = others == 0 ? "" : ", and so do \(others) other \(others == 1 ? "file" : "files")"
      let (it, them) = others == 0 ? ("it", "it") : ("the first", "them")
      return "\(DisplayPath.text(of: file)) exists\(more), and nothing shows that Nocturne wrote \(them): "
        + "\(it) \(objection). Nothing was written. Name another place, or \(remedy.map { "\($0) \(them)" } ?? "move \(them) away")."
    case .isFolder(let file):
      return "\(DisplayPath.text(of: file)) is a folder, but a file should be written there. Nothing was written. "
        + "Name a file."
    }
  }
}
