internal import Foundation
internal import Platform
internal import SystemPackage

/// The keys that AcoustID requires. They come from the environment or a file, but never from the command line, because
/// other users of the machine can read it.
struct AcoustIDKeys {
  var client: String
  /// The key of the user on whose behalf tracks are submitted.
  var user: String?

  static let clientVariable = "ACOUSTID_CLIENT_KEY"
  static let userVariable = "ACOUSTID_USER_KEY"

  /// - Parameters:
  ///   - file: A file with the lines `client=…` and `user=…`; `nil` to read only the environment. The file takes
  ///     precedence over the environment.
  ///   - needsUser: `true` if anything will be submitted.
  init(
    file: FilePath?, environment: [String: String] = ProcessInfo.processInfo.environment, needsUser: Bool
  ) throws(ExportError) {
    var keys = ["client": environment[Self.clientVariable], "user": environment[Self.userVariable]].compactMapValues {
      $0
    }
    if let file {
      guard let bytes = try? SmallFile.read(file, limit: 1 << 16, isRegular: false) else {
        throw .unavailable("The key file \(file.string) cannot be read. Check --option key-file=FILE.")
      }
      for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
        let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2 { keys[parts[0]] = parts[1] }
      }
    }
    guard let client = keys["client"], !client.isEmpty else {
      throw .unavailable(
        "AcoustID requires an application key. Register one at acoustid.org/new-application, and set "
          + "\(Self.clientVariable), or name a file with a line client=KEY with --option key-file=FILE.")
    }
    self.client = client
    user = keys["user"].flatMap { $0.isEmpty ? nil : $0 }
    if needsUser, user == nil {
      throw .unavailable(
        "AcoustID also requires your own key to submit. It is at acoustid.org/api-key; set \(Self.userVariable), or add "
          + "a line user=KEY to the file of --option key-file=FILE.")
    }
  }

  /// Returns the fields with the keys, which come at the start of a form.
  func fields(isSubmission: Bool) -> String {
    let client = "client=\(AcoustIDForm.encoded(self.client))&"
    return isSubmission ? client + "user=\(AcoustIDForm.encoded(user ?? ""))&" : client
  }
}
