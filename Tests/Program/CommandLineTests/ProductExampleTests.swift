import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// The examples of the library products `AudioAnalysis`, `AudioDecoding` and `Tempo`, and the page about them.
@Suite(.bounded) struct ProductExampleTests {
  private static let root = Repository.path()

  /// Runs what lies beside `analyze`.
  private static func run(_ example: String, _ place: Workplace, _ arguments: Argument...) throws -> Outcome {
    try RunningProgram(
      arguments, of: RunningProgram.executable.removingLastComponent().appending(example),
      environment: place.environment, workingFolder: place.folder.path, input: nil
    ).end()
  }

  private func place() throws -> Workplace {
    let place = try Workplace()
    var bytes = WAVFile(.clickTrack(bpm: 120, seconds: 12)).bytes
    Audio.tag(&bytes, title: "Clicks")
    try place.write(bytes, to: place.folder.file("clicks.wav"))
    return place
  }

  @Test func analyzersRunOnFilesAndPCM() throws {
    let outcome = try Self.run("analyze-file", try place(), "clicks.wav")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let words = outcome.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(words.count == 2 && words[0].prefix(2) == ["clicks.wav", "Clicks"])
    #expect(abs(try #require(Double(words[0][2])) - 120) < 1)
    #expect(words[1][0] == "clicks")
    #expect(abs(try #require(Double(words[1][1])) - 120) < 1)
    let wrong = try Self.run("analyze-file", try place(), "none.wav")
    #expect(wrong.status != 0)
  }

  @Test func filesAreDecoded() throws {
    let outcome = try Self.run("decode-audio", try place(), "clicks.wav")
    #expect(outcome.text.hasPrefix("clicks.wav pcm_s16 44100 529200 0."), "\(outcome.text) \(outcome.errors)")
  }

  @Test func tempoIsFoundInPCM() throws {
    let outcome = try Self.run("find-tempo", try place(), "clicks.wav")
    let bpm = outcome.text.split(separator: " ").dropFirst().first.flatMap { Double($0) }
    #expect(abs(try #require(bpm) - 120) < 1)
  }

  /// The code on the page is the code that is built and run here.
  @Test func thePageShowsTheCodeOfTheExamples() throws {
    let page = try String(contentsOfFile: Self.root.appending("docs/swift.md").string, encoding: .utf8)
    let sources = try ["analyze-file", "decode-audio", "find-tempo"].map { name in
      try String(
        contentsOfFile: Self.root.appending("Examples/\(name)/Sources/\(name)/main.swift").string, encoding: .utf8)
    }
    let blocks = page.matches(of: /```swift\n((?s).*?)```/).map { String($0.1) }
    #expect(blocks.count == 4)
    for block in blocks {
      let lines = block.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      let exists = sources.contains { source in
        let known = Set(source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        return lines.allSatisfy(known.contains)
      }
      #expect(exists, "\(block)")
    }
  }
}
