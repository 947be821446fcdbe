import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// The example of the library `Recognition`.
@Suite struct ExampleTests {
  private static let root = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()

  /// Runs what lies beside `analyze`.
  private static func recognize(_ place: Workplace, _ arguments: Argument..., input: [UInt8]? = nil) throws -> Outcome {
    try RunningProgram(
      arguments, of: RunningProgram.executable.removingLastComponent().appending("recognize"),
      environment: place.environment, workingFolder: place.folder.path, input: input
    ).end()
  }

  @Test func theExampleRecognises() throws {
    let place = try Workplace()
    for (number, name) in ["first", "second"].enumerated() {
      try place.write(WAVFile(Tracks.signals[number]).bytes, to: place.folder.file("\(name).wav"))
    }
    let build = try Self.recognize(place, "build", "songs.catalog", "first.wav", "second.wav")
    #expect(build.status == 0, "\(build.errors)")
    let clip = Tracks.noisy(Tracks.cut(Tracks.signals[1], from: 8, seconds: 8))
    try place.write(WAVFile(clip).bytes, to: place.folder.file("clip.wav"))
    #expect(try Self.recognize(place, "clip", "songs.catalog", "clip.wav").text.hasPrefix("second from second 8.0"))
    try place.write(WAVFile(Tracks.joined(Tracks.signals.dropLast())).bytes, to: place.folder.file("mix.wav"))
    let mix = try Self.recognize(place, "mix", "songs.catalog", "mix.wav")
    #expect(mix.lines.map { $0.split(separator: " ")[2] } == ["first", "second"])
    // 16 kHz, by taking samples twice and leaving some out.
    let pcm = Tracks.pcm(Tracks.signals[0])
    let stream = (0..<20 * 16_000).map { pcm[$0 * Tracks.sampleRate / 16_000] }.flatMap(Tracks.bytes)
    let heard = try Self.recognize(place, "listen", "songs.catalog", input: stream)
    #expect(heard.lines.count == 1)
    #expect(heard.text.hasPrefix("first now at second 3.0"))
  }

  /// What the documentation shows is what is built and run here.
  @Test func theDocumentationShowsItsCode() throws {
    let source = try String(
      contentsOfFile: Self.root.appending("Examples/recognize/Sources/recognize/main.swift").string, encoding: .utf8)
    let manifest = try String(
      contentsOfFile: Self.root.appending("Examples/recognize/Package.swift").string, encoding: .utf8)
    let article = try String(
      contentsOfFile: Self.root.appending("Sources/Recognition/Recognition.docc/RecognisingARecording.md").string,
      encoding: .utf8)
    let blocks = article.matches(of: /```swift\n((?s).*?)```/).map { String($0.1) }
    #expect(blocks.count == 5)
    for block in blocks {
      let isThere = source.contains(block) || manifest.replacing("\n  ", with: "\n").contains(block)
      #expect(isThere, "\(block)")
    }
  }
}
