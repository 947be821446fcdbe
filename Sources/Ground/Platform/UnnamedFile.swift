internal import Glibc
public import SystemPackage

/// A file without a name, which disappears when this value is destroyed or the process ends for any reason.
public struct UnnamedFile: ~Copyable, Sendable {
  /// The file, open for reading and writing.
  public let descriptor: FileDescriptor

  /// - Parameter folder: A folder on the file system that stores the file.
  public init(in folder: FilePath = .temporaryFolder) throws(Errno) {
    let name = folder.appending("nocturne-\(UInt64.random(in: 0 ... .max))")
    do {
      descriptor = try .open(
        name, .readWrite, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec], permissions: .ownerReadWrite)
    } catch {
      throw error as? Errno ?? .ioError
    }
    _ = name.withPlatformString { unsafe unlink($0) }
  }

  deinit { try? descriptor.close() }
}
