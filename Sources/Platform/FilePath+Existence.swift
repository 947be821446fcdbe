internal import Glibc
public import SystemPackage

extension FilePath {
  /// Whether there is something of this name, be it a link that leads nowhere.
  public var isThere: Bool {
    var status = Glibc.stat()
    return withPlatformString { unsafe lstat($0, &status) } == 0
  }
}
