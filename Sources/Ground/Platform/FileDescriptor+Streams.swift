internal import Glibc
public import SystemPackage

extension FileDescriptor {
  /// Makes writing to a program that has exited, such as `head`, fail with an error (`EPIPE`) instead of a signal that
  /// ends the process.
  public static func reportBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

  /// `true` for a pipe, a terminal or another character device, where writing may block; `false` for anything else,
  /// such as a file.
  public var isPipeOrDevice: Bool {
    var status = Glibc.stat()
    guard unsafe fstat(rawValue, &status) == 0 else { return false }
    return [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
  }

  /// Returns a duplicate of standard output, and redirects standard output itself to standard error, so that anything
  /// that libraries print goes there.
  public static func takeStandardOutput() throws(Errno) -> FileDescriptor {
    let own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard own >= 0, Glibc.dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: own)
  }

  public typealias Pipe = (readEnd: FileDescriptor, writeEnd: FileDescriptor)

  /// Creates a pipe. Programs that are started do not inherit its ends unless they are passed explicitly.
  /// - Parameter end: Returns the nonblocking end; `nil` if neither end is nonblocking.
  public static func pipe(nonBlocking end: ((Pipe) -> FileDescriptor)?) throws(Errno) -> Pipe {
    let pipe = try FileDescriptor.pipe(options: .closeOnExec)
    if let end = end?(pipe) { _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK) }
    return pipe
  }
}
