internal import Digests
internal import Foundation
internal import Platform
internal import Synchronization
package import SystemPackage

/// The file with the valid tokens, which has a name and a token on each line. Empty lines and lines that start with `#`
/// are ignored.
///
/// The file is read again when it has changed. Only digests of the tokens stay in memory.
package final class TokenFile: Sendable {
  /// A token that grants access to the server.
  struct Token: Sendable {
    /// The name that appears in the access log.
    var name: String
    var digest: Digest
  }

  /// A problem with the file. It never contains a token.
  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  private struct State {
    var tokens: [Token]
    /// The identity of the file; `nil` if it could not be read.
    var file: FileIdentity?
    var checked: ContinuousClock.Instant
  }

  static let minimumLength = 16
  private static let maximumSize = 1 << 20

  private let path: FilePath
  private let state: Mutex<State>
  private let report: @Sendable (Problem) -> Void

  /// - Parameter report: Receives the reason if the file cannot be read again. No client has access until the file can
  ///   be read.
  /// - Throws: `Problem` if the file cannot be read now.
  package init(_ path: FilePath, report: @escaping @Sendable (Problem) -> Void) throws(Problem) {
    self.path = path
    self.report = report
    let (secrets, file) = try Self.read(path)
    state = Mutex(State(tokens: secrets.map(Self.token), file: file, checked: .now))
  }

  /// The current tokens. The file is checked for changes at most once a second. Blocks for a moment.
  var tokens: [Token] { tokens(at: .now) }

  func tokens(at now: ContinuousClock.Instant) -> [Token] {
    let (tokens, problem) = state.withLock { state -> ([Token], Problem?) in
      guard now - state.checked >= .seconds(1) else { return (state.tokens, nil) }
      state.checked = now
      if let file = state.file, file == FileIdentity(path) { return (state.tokens, nil) }
      do throws(Problem) {
        let (secrets, file) = try Self.read(path)
        state.tokens = secrets.map(Self.token)
        state.file = file
      } catch {
        let isUnreported = state.file != nil || !state.tokens.isEmpty
        state.tokens = []
        state.file = nil
        return ([], isUnreported ? error : nil)
      }
      return (state.tokens, nil)
    }
    if let problem { report(problem) }
    return tokens
  }

  /// Returns the name of the token for which `matches` returns `true`; `nil` if there is none. All tokens are tried, so
  /// the time does not depend on the token.
  ///
  /// Reads the file, because values derived from a token cannot be checked with the token's digest.
  func name(where matches: (_ secret: String) -> Bool) -> String? {
    guard let (secrets, _) = try? Self.read(path) else { return nil }
    return secrets.reduce(nil) { found, secret in matches(secret.text) ? secret.name : found }
  }

  private static func token(_ secret: (name: String, text: String)) -> Token {
    Token(name: secret.name, digest: .sha256(of: Array(secret.text.utf8)))
  }

  private static func read(_ path: FilePath) throws(Problem) -> ([(name: String, text: String)], FileIdentity) {
    let shown = DisplayPath.text(of: path)
    let text: String
    let identity: FileIdentity
    do {
      let file = try FileDescriptor.openWithoutWaiting(path)
      defer { try? file.close() }
      guard let status = FileIdentity(file) else { throw Errno.ioError }
      identity = status
      guard status.isRegularFile else { throw Problem(description: "“\(shown)” is not a file.") }
      guard status.permissions & 0o077 == 0 else {
        throw Problem(
          description: "Other users can read the tokens in “\(shown)”. Change that with: chmod 600 '\(shown)'")
      }
      guard status.size <= maximumSize else {
        throw Problem(description: "“\(shown)” is too large for a file of tokens.")
      }
      text = String(decoding: try file.readToEnd(limit: maximumSize), as: UTF8.self)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(description: "The tokens in “\(shown)” cannot be read: \(error).")
    }
    return (try secrets(in: text, path: shown), identity)
  }

  /// - Throws: `Problem` with the number of the line, never with its content.
  static func secrets(in text: String, path: String) throws(Problem) -> [(name: String, text: String)] {
    var secrets: [(name: String, text: String)] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      let place = "Line \(index + 1) of “\(path)”"
      guard words.count == 2 else {
        throw Problem(description: "\(place) needs a name and a token with a space between them.")
      }
      guard words[1].utf8.count >= minimumLength else {
        throw Problem(
          description: "\(place): the token is shorter than \(minimumLength) characters. Make one with: "
            + "head -c 24 /dev/urandom | base64")
      }
      guard !secrets.contains(where: { $0.name == first }) else {
        throw Problem(description: "\(place): an earlier token has the same name. Each token needs its own.")
      }
      secrets.append((String(first), String(words[1])))
    }
    guard !secrets.isEmpty else {
      throw Problem(
        description: "There is no token in “\(path)”. Write a line with a name and a token, such as: "
          + "echo \"phone $(head -c 24 /dev/urandom | base64)\" >> '\(path)'")
    }
    return secrets
  }
}
