import AnalysisTesting
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import Serving

/// Changes of the token file while the server runs.
@Suite(.bounded) struct TokenFileTests {
  /// A token file, and the problems that were reported.
  private final class Place: Sendable {
    let path: FilePath
    private let problems = Mutex<[String]>([])

    init() throws {
      let folder = FilePath(NSTemporaryDirectory()).appending("nocturne-tokens-\(UUID().uuidString)")
      try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
      path = folder.appending("tokens")
    }

    deinit { try? FileManager.default.removeItem(atPath: path.removingLastComponent().string) }

    var problemCount: Int { problems.withLock { $0.count } }
    var lastProblem: String? { problems.withLock { $0.last } }

    /// Replaces the file with one that has a token for each of these names.
    func put(_ names: String..., mode: Int = 0o600) throws {
      try put(text: names.map { "\($0) \(Self.secret($0))\n" }.joined(), mode: mode)
    }

    func put(text: String, mode: Int = 0o600) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path.string), options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.string)
    }

    func remove() throws { try FileManager.default.removeItem(atPath: path.string) }

    static func secret(_ name: String) -> String { "\(name)-\(String(repeating: "x", count: 16))" }

    func tokens() throws -> TokenFile {
      try TokenFile(path) { problem in self.problems.withLock { $0.append(problem.description) } }
    }
  }

  private func names(_ file: TokenFile, at time: ContinuousClock.Instant) -> [String] {
    file.tokens(at: time).map(\.name)
  }

  /// The file is looked at once a second, and not more often.
  @Test func tokensAreAddedAndRemovedWhileServing() throws {
    let place = try Place()
    try place.put("phone")
    let file = try place.tokens()
    let start = ContinuousClock.now
    #expect(names(file, at: start) == ["phone"])
    try place.put("phone", "TV")
    #expect(names(file, at: start + .milliseconds(500)) == ["phone"])
    #expect(names(file, at: start + .seconds(1)) == ["phone", "TV"])
    try place.put("TV", "kitchen", "car")
    #expect(names(file, at: start + .milliseconds(1_999)) == ["phone", "TV"])
    #expect(names(file, at: start + .seconds(2)) == ["TV", "kitchen", "car"])
    #expect(names(file, at: start + .seconds(3)) == ["TV", "kitchen", "car"])
    #expect(place.problemCount == 0)
  }

  /// The new tokens let in, and the old ones no longer do.
  @Test func accessFollowsTheFile() throws {
    let place = try Place()
    try place.put("phone")
    let file = try place.tokens()
    let tokens = AccessTokens(file: file)
    func whoIsLetIn() -> [String] {
      ["phone", "TV"].filter { tokens.name(ofSecret: Place.secret($0)) == $0 }
    }
    #expect(whoIsLetIn() == ["phone"])
    try place.put("phone", "TV")
    _ = file.tokens(at: .now + .seconds(1))
    #expect(whoIsLetIn() == ["phone", "TV"])
    try place.put("TV")
    _ = file.tokens(at: .now + .seconds(2))
    #expect(whoIsLetIn() == ["TV"])
    try place.remove()
    _ = file.tokens(at: .now + .seconds(3))
    #expect(whoIsLetIn() == [])
  }

  /// Nobody is let in while the file cannot be read. Each time this begins, it is reported once.
  @Test func anUnreadableFileLetsNobodyIn() throws {
    let place = try Place()
    try place.put("phone")
    let file = try place.tokens()
    var time = ContinuousClock.now
    func look() -> [String] {
      time += .seconds(1)
      return names(file, at: time)
    }
    try place.put("phone", "TV", mode: 0o640)
    #expect(look() == [] && place.problemCount == 1)
    #expect(place.lastProblem?.contains("chmod 600") == true)
    #expect(look() == [] && place.problemCount == 1)
    // Another problem before it was well again.
    try place.remove()
    #expect(look() == [] && look() == [] && place.problemCount == 1)
    try place.put("phone", "TV")
    #expect(look() == ["phone", "TV"] && place.problemCount == 1)

    try place.put(text: "phone short\n")
    #expect(look() == [] && place.problemCount == 2)
    #expect(place.lastProblem?.contains("shorter than 16") == true)
    try place.put(text: "# nobody\n")
    #expect(look() == [] && place.problemCount == 2)
    try place.put("phone")
    #expect(look() == ["phone"] && look() == ["phone"] && place.problemCount == 2)

    try place.remove()
    #expect(look() == [] && place.problemCount == 3)
    #expect(place.lastProblem?.contains("cannot be read") == true)
    try place.put("TV")
    #expect(look() == ["TV"] && place.problemCount == 3)
  }

  /// Both sides of the minimum length of a token, and of the maximum size of the file.
  @Test func lengthsAndSizesHaveLimits() throws {
    let place = try Place()
    try place.put(text: "phone \(String(repeating: "x", count: 16))\n")
    #expect(try place.tokens().tokens.map(\.name) == ["phone"])
    try place.put(text: "phone \(String(repeating: "x", count: 15))\n")
    #expect(throws: TokenFile.Problem.self) { try place.tokens() }
    let line = "phone \(String(repeating: "x", count: 16))\n"
    let comment = "#" + String(repeating: " ", count: (1 << 20) - 1 - line.utf8.count)
    try place.put(text: line + comment)
    #expect(try place.tokens().tokens.map(\.name) == ["phone"])
    try place.put(text: line + comment + " ")
    let problem = #expect(throws: TokenFile.Problem.self) { try place.tokens() }
    #expect(problem?.description.contains("too large") == true)
  }

  /// The file may be a link that leads elsewhere, and back.
  @Test func anExchangedLinkIsNoticed() throws {
    let (phone, other, place) = (try Place(), try Place(), try Place())
    try phone.put("phone")
    try other.put("TV")
    func link(to target: FilePath) throws {
      try? place.remove()
      try FileManager.default.createSymbolicLink(atPath: place.path.string, withDestinationPath: target.string)
    }
    try link(to: phone.path)
    let file = try place.tokens()
    let start = ContinuousClock.now
    try link(to: other.path)
    #expect(names(file, at: start + .seconds(1)) == ["TV"])
    try link(to: phone.path)
    #expect(names(file, at: start + .seconds(2)) == ["phone"])
  }

  /// Between two looks, nobody is let in either.
  @Test func anUnreadableFileStaysSo() throws {
    let place = try Place()
    try place.put("phone")
    let file = try place.tokens()
    let start = ContinuousClock.now + .seconds(1)
    try place.remove()
    #expect(names(file, at: start) == [])
    try place.put("phone")
    #expect(names(file, at: start + .milliseconds(999)) == [])
    #expect(names(file, at: start + .seconds(1)) == ["phone"])
    #expect(place.problemCount == 1)
  }

  @Test(arguments: [
    (0o600, true), (0o400, true), (0o700, true), (0o640, false), (0o620, false), (0o610, false), (0o604, false),
    (0o602, false), (0o601, false),
  ])
  func onlyTheOwnerMayReadTokens(mode: Int, isRead: Bool) throws {
    let place = try Place()
    try place.put("phone", mode: mode)
    guard !isRead else {
      #expect(try place.tokens().tokens.map(\.name) == ["phone"])
      return
    }
    let problem = #expect(throws: TokenFile.Problem.self) { try place.tokens() }
    #expect(problem?.description.contains("Other users can read") == true)
  }

  @Test func aFolderHasNoTokens() throws {
    let place = try Place()
    try FileManager.default.createDirectory(atPath: place.path.string, withIntermediateDirectories: false)
    let problem = #expect(throws: TokenFile.Problem.self) { try place.tokens() }
    #expect(problem?.description.hasSuffix("is not a file.") == true)
  }

  /// The number of the line, with empty lines and comments counted.
  @Test(arguments: [
    ("phone short", 1, "is shorter than 16"), ("\n# note\n\nphone short", 4, "is shorter than 16"),
    ("a aaaaaaaaaaaaaaaa\nphone", 2, "needs a name and a token"),
    ("a aaaaaaaaaaaaaaaa\n\nb bbbbbbbbbbbbbbbb c\n", 3, "needs a name and a token"),
    ("a aaaaaaaaaaaaaaaa\na bbbbbbbbbbbbbbbb", 2, "has the same name"),
  ])
  func mistakesAreSaidByLine(text: String, line: Int, mistake: String) {
    let problem = #expect(throws: TokenFile.Problem.self) { try TokenFile.secrets(in: text, path: "/t") }
    #expect(problem?.description.hasPrefix("Line \(line) of “/t”") == true)
    #expect(problem?.description.contains(mistake) == true)
  }

  @Test func aFileWithoutTokensSaysHowToMakeOne() throws {
    for text in ["", "\n", "# phone aaaaaaaaaaaaaaaa\n", "#\n \t\n"] {
      let problem = #expect(throws: TokenFile.Problem.self) { try TokenFile.secrets(in: text, path: "/t") }
      #expect(problem?.description.hasPrefix("There is no token in “/t”") == true)
    }
    let secrets = try TokenFile.secrets(in: " a\taaaaaaaaaaaaaaaa \r\n#b\nb  bbbbbbbbbbbbbbbb", path: "/t")
    #expect(secrets.map(\.name) == ["a", "b"])
    #expect(secrets.map(\.text) == [String(repeating: "a", count: 16), String(repeating: "b", count: 16)])
  }
}
