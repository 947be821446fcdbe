internal import Glibc

/// The process that runs this code.
public enum ThisProcess {
  public static var id: Int32 { getpid() }

  /// The effective user.
  public static var userID: UInt32 { geteuid() }

  /// The name of the computer; `nil` if the system does not report it.
  public static var hostName: String? {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
