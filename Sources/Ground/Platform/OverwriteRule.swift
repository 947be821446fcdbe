public import SystemPackage

/// Rules for what a command may replace. Files that Nocturne did not write are replaced only with `--force`.
///
/// It is always allowed to write to a name that does not exist, or to an empty file. A folder, a socket or a disk is
/// always refused. A device (`/dev/null`), a named pipe or a descriptor (`/dev/stdout`) is allowed where a person names
/// it, and refused in place of a file with a fixed name in a folder.
public struct OverwriteRule: Hashable, Sendable {
  /// `true` to allow replacing files that Nocturne did not write.
  public var allowsOthers: Bool

  /// `true` to allow devices, named pipes and descriptors.
  private var allowsStreams = true

  public init(allowsOthers: Bool = false) {
    self.allowsOthers = allowsOthers
  }

  /// The rule for files with fixed names in a folder, and for output that must not wait for another program.
  public var forRegularFiles: OverwriteRule {
    var rule = self
    rule.allowsStreams = false
    return rule
  }

  /// - Parameter proof: The proof that Nocturne wrote the file.
  public func check(_ file: FilePath, _ proof: OriginProof) throws(OverwriteError) {
    try check([(file, proof)])
  }

  /// Checks all files before the first one is written.
  public func check(_ files: [(file: FilePath, proof: OriginProof)]) throws(OverwriteError) {
    var others: [(file: FilePath, objection: String)] = []
    for (file, proof) in files {
      switch try Self.kind(of: file) {
      case nil, .empty: continue
      case .stream(let name):
        if let obstacle = OutputStream.obstacle(at: file) { throw .notAFile(file, reason: "\(obstacle)") }
        if !allowsStreams { throw .notAFile(file, reason: "it is \(name)") }
      case .deadLink: if !allowsOthers { others.append((file, "leads nowhere")) }
      case .file: if !allowsOthers, !proof.isGiven(by: file) { others.append((file, proof.objection)) }
      }
    }
    if let first = others.first { throw .notOurs(first.file, objection: first.objection, otherCount: others.count - 1) }
  }

  private enum Kind {
    case file, empty, deadLink
    /// A device, a pipe, a socket or a descriptor, with a description.
    case stream(String)
  }

  private static func kind(of file: FilePath) throws(OverwriteError) -> Kind? {
    if DescriptorName(file) != nil { return .stream("an open file of a program") }
    guard let status = try? FileStatus(at: file, followingLinks: true) else { return file.exists ? .deadLink : nil }
    switch status.kind {
    case .folder: throw .isFolder(file)
    case .regular: return status.size == 0 ? .empty : .file
    case .fifo: return .stream("a named pipe")
    case .socket: return .stream("a socket")
    case .device, .link, .unknown: return .stream("a device")
    }
  }
}

/// The reason a file is not replaced. Nothing was written.
public enum OverwriteError: Error, Hashable, Sendable {
  /// Nothing proves that Nocturne wrote this file or `otherCount` others. `objection` completes “it …”.
  case notOurs(FilePath, objection: String, otherCount: Int)
  case isFolder(FilePath)
  /// The output would replace a device, a pipe or a socket, as `reason` says.
  case notAFile(FilePath, reason: String)
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
      return "\(DisplayPath.text(of: file)) is a folder, not a file. Nothing was written. Name a file."
    case .notAFile(let file, let reason):
      return "\(DisplayPath.text(of: file)) cannot be written: \(reason). Nothing was written. "
        + "Remove it, or name another place."
    }
  }
}
