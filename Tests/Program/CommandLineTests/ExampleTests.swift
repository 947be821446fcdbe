import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// The examples of the libraries `Recognition` and `Listening`.
@Suite(.bounded) struct ExampleTests {
  private static let root = Repository.path()

  /// A program beside `analyze`.
  private static func program(_ name: String) -> FilePath {
    RunningProgram.executable.removingLastComponent().appending(name)
  }

  private static func run(
    _ name: String, _ place: Workplace, _ arguments: Argument..., input: [UInt8]? = nil
  ) throws -> Outcome {
    try RunningProgram(
      arguments, of: program(name), environment: place.environment, workingFolder: place.folder.path, input: input
    ).end()
  }

  /// 16 kHz, by taking samples twice and leaving some out.
  private static func pcm(_ signal: Signal, seconds: Int) -> [UInt8] {
    let pcm = Tracks.pcm(signal)
    return (0..<seconds * 16_000).map { pcm[$0 * Tracks.sampleRate / 16_000] }.flatMap(Tracks.bytes)
  }

  @Test func filesAndLiveSoundAreRecognized() throws {
    let place = try Workplace()
    for (number, name) in ["first", "second"].enumerated() {
      try place.write(WAVFile(Tracks.signals[number]).bytes, to: place.folder.file("\(name).wav"))
    }
    let build = try Self.run("recognize", place, "build", "songs.catalog", "first.wav", "second.wav")
    #expect(build.status == 0, "\(build.errors)")
    let clip = Tracks.noisy(Tracks.cut(Tracks.signals[1], from: 8, seconds: 8))
    try place.write(WAVFile(clip).bytes, to: place.folder.file("clip.wav"))
    let answer = try Self.run("recognize", place, "clip", "songs.catalog", "clip.wav")
    #expect(answer.text.hasPrefix("second from second 8.0"))
    try place.write(WAVFile(Tracks.joined(Tracks.signals.dropLast())).bytes, to: place.folder.file("mix.wav"))
    let mix = try Self.run("recognize", place, "mix", "songs.catalog", "mix.wav")
    #expect(mix.lines.map { $0.split(separator: " ")[2] } == ["first", "second"], "\(mix.text)")
    let stream = Self.pcm(Tracks.signals[0], seconds: 20)
    let heard = try Self.run("recognize", place, "listen", "songs.catalog", input: stream)
    #expect(heard.lines.count == 1)
    #expect(heard.text.hasPrefix("first now at second 3.0"))
  }

  @Test func soundInMemoryIsRecognized() throws {
    let place = try Workplace()
    for (number, title) in ["First", "Second"].enumerated() {
      let sound = Self.pcm(Tracks.signals[number], seconds: 20)
      let add = try Self.run("recognize-pcm", place, "add", "songs", "\(title)", input: sound)
      #expect(add.status == 0, "\(add.errors)")
    }
    let clip = Self.pcm(Tracks.cut(Tracks.signals[1], from: 8, seconds: 9), seconds: 8)
    let answer = try Self.run("recognize-pcm", place, "clip", "songs", input: clip)
    #expect(answer.text.hasPrefix("Second from second 8.0"), "\(answer.text)\(answer.errors)")
    let stream = try Self.run(
      "recognize-pcm", place, "stream", "songs", input: Self.pcm(Tracks.signals[0], seconds: 16))
    #expect(stream.lines.count >= 3)
    #expect(stream.lines.allSatisfy { $0.hasSuffix("First") }, "\(stream.text)")
  }

  /// A program that depends on `Recognition` alone is linked with no decoder.
  @Test func recognitionNeedsNoDecoder() throws {
    func needs(_ name: String, _ library: String) throws -> Bool {
      let program = try Data(contentsOf: URL(filePath: Self.program(name).string), options: .alwaysMapped)
      return program.range(of: Data("\(library).so".utf8)) != nil
    }
    #expect(try needs("recognize-pcm", "libfftw3f"))
    #expect(try needs("recognize", "libavformat"))
    for library in ["libavformat", "libavcodec", "libswresample", "libsndfile", "libchromaprint"] {
      #expect(try !needs("recognize-pcm", library), "\(library)")
    }
  }

  /// The code in the documentation is the code that is built and run here.
  @Test(arguments: [
    (documentation: "Recognition", example: "recognize-pcm", count: 5),
    (documentation: "Listening", example: "recognize", count: 6),
  ])
  func theDocumentationShowsItsCode(documentation: String, example: String, count: Int) throws {
    func text(_ path: String) throws -> String {
      let text = try String(contentsOfFile: Self.root.appending(path).string, encoding: .utf8)
      return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }
    let source =
      try text("Examples/\(example)/Sources/\(example)/main.swift") + text("Examples/\(example)/Package.swift")
    let folder = "Sources/Recognition/\(documentation)/\(documentation).docc"
    var blocks: [String] = []
    for article in try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(folder).string) {
      blocks += try text("\(folder)/\(article)").matches(of: /```swift\n((?s).*?)\n```/).map { String($0.1) }
    }
    #expect(blocks.count == count)
    for block in blocks { #expect(source.contains(block), "\(block)") }
  }
}
