internal import Glibc

/// Runs a closure on this thread without privileges if the tests run as root, because file modes do not restrict root.
@discardableResult
public func withoutPrivileges<Result>(_ body: () throws -> Result) rethrows -> Result {
  guard geteuid() == 0 else { return try body() }
  _ = setFileSystemUser(65534)
  defer { _ = setFileSystemUser(0) }
  return try body()
}

/// setfsuid(2), which applies to one thread only. The Glibc module does not contain it.
@_silgen_name("setfsuid") private func setFileSystemUser(_ user: UInt32) -> Int32
