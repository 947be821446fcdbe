import Analysis
import AnalysisTesting
import Foundation
import Glibc
import LibraryStore
import Platform
import SystemPackage
import Testing

@testable import Server

/// Links that someone plants in the library, before a run or between a run and a request, serve nothing of other files
/// of this machine.
@Suite(.bounded) struct PlantedLinkTests {
  /// A library with songs, and a folder elsewhere with a secret as text and as audio.
  private final class Place {
    let folder: TemporaryDirectory
    var random = SplitMix64.fresh("planted links")
    let secret: String
    /// Files that are links, hard links, or behind links to folders, now or before the requests.
    private(set) var planted: [FilePath] = []
    /// Changes to be made after the run.
    private var swaps: [() throws -> Void] = []

    var library: FilePath { folder.file("library") }
    var outside: FilePath { folder.file("outside") }
    var song: FilePath { library.appending("song.wav") }

    init() throws {
      folder = try TemporaryDirectory()
      secret = "secret-\(UInt64.random(in: .min ... .max, using: &random))"
      for folder in [library, outside] { try makeFolder(folder) }
      try put(song, "music of the library")
    }

    func makeFolder(_ path: FilePath) throws {
      try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    }

    private func put(_ path: FilePath, _ bytes: [UInt8]) throws {
      try makeFolder(path.removingLastComponent())
      try Data(bytes).write(to: URL(filePath: path.string))
    }

    /// Writes a WAV file with this text as its samples, again and again.
    private func put(_ path: FilePath, _ text: String) throws {
      try put(path, WAVText(text).bytes)
    }

    private func link(_ path: FilePath, to target: String) throws {
      try makeFolder(path.removingLastComponent())
      guard symlink(target, path.string) == 0 else { throw Errno(rawValue: errno) }
    }

    private func hardLink(_ path: FilePath, to target: FilePath) throws {
      try makeFolder(path.removingLastComponent())
      guard Glibc.link(target.string, path.string) == 0 else { throw Errno(rawValue: errno) }
    }

    /// A path to the file, as a link might name it.
    private func text(_ target: FilePath, from link: FilePath) -> String {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: return target.string
      case 1:
        let up = link.components.count - folder.path.components.count - 1
        return String(repeating: "../", count: up)
          + target.components.dropFirst(folder.path.components.count)
          .map(\.string).joined(separator: "/")
      case 2: return "/proc/self/root" + target.string
      case 3: return "/proc/1/root" + target.string
      default:
        return "\(target.removingLastComponent().string)/./../\(target.components.dropLast().last?.string ?? "")/"
          + (target.lastComponent?.string ?? "")
      }
    }

    /// A link, or a chain of them in the library.
    private func chain(_ path: FilePath, to target: FilePath) throws {
      var (end, count) = (target, Int.random(in: 0..<5, using: &random))
      while count > 0 {
        let step = library.appending(".steps/\(random.next())")
        try link(step, to: text(end, from: step))
        (end, count) = (step, count - 1)
      }
      try link(path, to: text(end, from: path))
    }

    private static let texts = ["secret", "secret.txt", "secret.mp3", "album/secret.wav"]
    private static let voices = ["voice.wav", "album/voice.wav"]

    /// Makes a folder with the secret as text and as audio. A run reads a file behind several links only once.
    func hiddenFolder() throws -> FilePath {
      let folder = outside.appending("\(random.next())")
      let mark = folder.lastComponent?.string ?? ""
      for name in Self.texts { try put(folder.appending(name), Array("\(mark) \(secret)\n".utf8)) }
      for name in Self.voices { try put(folder.appending(name), "\(secret) \(mark)\(name)") }
      return folder
    }

    private func hiddenFile(_ names: [String] = texts + voices) throws -> FilePath {
      try hiddenFolder().appending(names.randomElement(using: &random) ?? "secret")
    }

    func plant(_ number: Int) throws {
      let suffix = ["mp3", "flac", "wav", "m4a"].randomElement(using: &random) ?? "wav"
      let path = library.appending("\(number % 20)/planted \(number).\(suffix)")
      switch number % 8 {
      case 0, 1:
        try chain(path, to: hiddenFile())
        planted.append(path)
      case 2:
        try chain(
          path, to: FilePath("/proc/self/\(["environ", "cmdline", "maps"].randomElement(using: &random) ?? "")"))
        planted.append(path)
      case 3:
        let folder = library.appending("folder \(number)")
        try chain(folder, to: hiddenFolder())
        for name in ["secret.mp3", "secret.wav", "voice.wav", "album/secret.wav", "album/voice.wav"] {
          planted.append(folder.appending(name))
        }
      case 4:
        try hardLink(path, to: hiddenFile(Self.texts))
        planted.append(path)
      case 5:
        try swap(path) { try self.chain(path, to: self.hiddenFile()) }
      case 6:
        try swap(path) { try self.hardLink(path, to: self.hiddenFile(Self.texts)) }
      default:
        let folder = library.appending("swapped \(number)")
        let name = ["secret.wav", "voice.wav"].randomElement(using: &random) ?? ""
        try put(folder.appending(name), "music \(number)")
        planted.append(folder.appending(name))
        swaps.append {
          try FileManager.default.removeItem(atPath: folder.string)
          try self.chain(folder, to: self.hiddenFolder().appending("album"))
        }
      }
    }

    /// Audio at the run that is replaced before the requests.
    private func swap(_ path: FilePath, _ change: @escaping () throws -> Void) throws {
      try put(path, "music \(planted.count)")
      planted.append(path)
      swaps.append {
        try FileManager.default.removeItem(atPath: path.string)
        try change()
      }
    }

    func swapAll() throws { for swap in swaps { try swap() } }
  }

  /// A short WAV file with a text as its samples.
  private struct WAVText {
    let bytes: [UInt8]

    init(_ text: String) {
      let data = Array(String(repeating: text + " ", count: 16_000 / (text.utf8.count + 1) & ~1).utf8)
      func little(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      }
      let form = little(1, 2) + little(1, 2) + little(8_000) + little(16_000) + little(2, 2) + little(16, 2)
      bytes =
        Array("RIFF".utf8) + little(36 + data.count) + Array("WAVEfmt ".utf8) + little(16) + form + Array("data".utf8)
        + little(data.count) + data
    }
  }

  private static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return FilePath(tests).removingLastComponent().appending("analyze").string
  }()

  private static func analyze(_ folder: FilePath, into database: FilePath) throws {
    // Exit status 3: files failed.
    try ExternalProgram(program).run(
      [
        folder.string, "--database", database.string, "--only", "tags", "--no-reports", "--progress", "none", "--jobs",
        "2",
        "--quiet",
      ], endingWith: [0, 3])
  }

  private static func requests(_ path: FilePath) -> [(String, [String: String])] {
    let id = ContentID(ofPath: path).description
    let login = "u=a&p=a&c=t&v=1.16.1&id=\(id)"
    return [
      ("/media/tracks/\(id)", [:]), ("/media/tracks/\(id)", ["Range": "bytes=0-99"]), ("/rest/stream?\(login)", [:]),
      ("/rest/download?\(login)", [:]),
    ]
  }

  @Test func plantedLinksServeNothing() async throws {
    let place = try Place()
    for number in 0..<500 { try place.plant(number) }
    let library = try await ServedLibrary(filling: { try Self.analyze(place.library, into: $0.path) })
    let known = try place.planted.filter { try library.store.trackFile(id: ContentID(ofPath: $0).description) != nil }
    #expect(known.count > 400)
    try place.swapAll()
    let secret = Array(place.secret.utf8)
    for (target, headers) in Self.requests(place.song) {
      #expect(try await [200, 206].contains(library.get(target, headers).status))
    }
    for path in place.planted {
      for (target, headers) in Self.requests(path) {
        let answer = try await library.get(target, headers)
        let isServed =
          answer.body.firstRange(of: secret) != nil || answer.headers["content-range"] != nil
          || answer.headers["content-type"]?.hasPrefix("audio/") == true
        #expect(!isServed, "\(path) at \(target)")
      }
    }
    try await library.stop()
  }

  @Test func aSettingServesAudioBehindLinks() async throws {
    let place = try Place()
    let voice = place.library.appending("voice.wav")
    let text = place.library.appending("text.wav")
    let hidden = try place.hiddenFolder()
    #expect(symlink(hidden.appending("voice.wav").string, voice.string) == 0)
    #expect(symlink(hidden.appending("secret").string, text.string) == 0)
    for isServed in [false, true] {
      let library = try await ServedLibrary(
        filling: { try Self.analyze(place.library, into: $0.path) }, change: { $0.servesLinksOutside = isServed })
      for (target, headers) in Self.requests(voice) {
        let answer = try await library.get(target, headers)
        #expect(answer.headers["content-type"]?.hasPrefix("audio/") == isServed)
        if isServed { #expect([200, 206].contains(answer.status)) }
      }
      let answer = try await library.get(Self.requests(text)[0].0)
      #expect(answer.status == 404 && String(decoding: answer.body, as: UTF8.self).contains("no audio"))
      try await library.stop()
    }
  }
}
