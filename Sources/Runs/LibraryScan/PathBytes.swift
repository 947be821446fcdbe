internal import Platform
internal import SystemPackage

extension FilePath {
  /// Returns the absolute path, without `.` and without doubled or trailing slashes. Links are kept, except in a path
  /// with `..`, which the system resolves if the path exists.
  func absolute() -> FilePath {
    if isPlainAbsolute { return self }
    if components.contains(where: { $0.kind == .parentDirectory }), let resolved = try? resolved() {
      return resolved
    }
    return (isAbsolute ? self : Self.shownFolder.appending(components)).lexicallyNormalized()
  }

  /// `true` only for paths that `absolute()` would not change, such as those in lists written by `find`. Checking
  /// `components` instead would take a hundred times as long.
  private var isPlainAbsolute: Bool {
    let slash = UInt8(ascii: "/")
    let dot = UInt8(ascii: ".")
    return withBytes { bytes in
      guard bytes.first == slash, bytes.last != slash else { return false }
      return !zip(bytes, bytes.dropFirst()).contains { $0 == slash && ($1 == slash || $1 == dot) }
    }
  }

  /// The working folder as the shell shows it (`PWD`, with links) if that is still correct, otherwise as the kernel
  /// reports it.
  private static var shownFolder: FilePath {
    if let path = environmentFolder("PWD") {
      if path.isAbsolute, let here = try? FileStatus(at: ".", followingLinks: true),
        let there = try? FileStatus(at: path, followingLinks: true), here.key == there.key
      {
        return path
      }
    }
    return currentFolder
  }
}

/// A path that grows and shrinks by one name at a time during a walk. It is always absolute, and has no trailing slash,
/// so the root is empty.
struct PathBuffer {
  /// Maximum length of a path on Linux: `PATH_MAX` without the NUL.
  static let lengthLimit = 4095

  private(set) var bytes: [UInt8]

  init(_ path: FilePath) {
    bytes = path.bytes
    if bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
  }

  var isTooLong: Bool { bytes.count > Self.lengthLimit }

  var path: FilePath {
    mutating get { withPlatformString { unsafe FilePath(platformString: $0) } }
  }

  mutating func append(_ name: ArraySlice<UInt8>) {
    bytes.append(UInt8(ascii: "/"))
    bytes.append(contentsOf: name)
  }

  mutating func truncate(to count: Int) {
    bytes.removeLast(bytes.count - count)
  }

  mutating func withPlatformString<Result, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let isRoot = bytes.isEmpty
    if isRoot { bytes.append(UInt8(ascii: "/")) }
    bytes.append(0)
    defer { bytes.removeLast(isRoot ? 2 : 1) }
    return try bytes.withUnsafeBufferPointer { buffer throws(Failure) in
      guard let base = buffer.baseAddress else { preconditionFailure("a buffer with a NUL in it has an address") }
      return try unsafe body(UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self))
    }
  }
}
