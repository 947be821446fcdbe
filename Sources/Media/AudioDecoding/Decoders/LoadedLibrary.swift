internal import CSndfile

/// The functions of libsndfile.
var libsndfile: CSndfileFunctions { unsafe csndfile().pointee }

extension CSndfileFunctions {
  var version: String { unsafe sf_version_string().map { unsafe String(cString: $0) } ?? "libsndfile" }

  func message(of code: CInt) -> String { unsafe sf_error_number(code).map { unsafe String(cString: $0) } ?? "\(code)" }
}
