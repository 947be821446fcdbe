internal import Glibc
internal import Recognition
package import SystemPackage

/// What tells a catalog from an earlier one at the same place, without opening it: a file is only ever replaced by another.
package struct CatalogState: Equatable, Sendable {
  private var device: UInt
  private var inode: UInt
  private var size: Int
  private var seconds: Int
  private var nanoseconds: Int

  package init(of path: FilePath) {
    var status = stat()
    let list = CatalogDirectory(at: path).listPath
    let isThere =
      list.withPlatformString { stat($0, &status) } == 0 || path.withPlatformString { stat($0, &status) } == 0
    if !isThere { status = stat() }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    seconds = Int(status.st_mtim.tv_sec)
    nanoseconds = Int(status.st_mtim.tv_nsec)
  }
}
