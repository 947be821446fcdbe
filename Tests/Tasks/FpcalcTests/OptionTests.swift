import AnalysisTesting
import AudioDecoding
import Foundation
import SystemPackage
import Testing

@testable import Fpcalc

private func parse(_ words: String...) throws -> FpcalcOptions.Request {
  try FpcalcOptions.parse(words.map { Array($0.utf8) })
}

private func options(_ words: String...) throws -> FpcalcOptions? {
  guard case .fingerprints(let options) = try FpcalcOptions.parse(words.map { Array($0.utf8) }) else { return nil }
  return options
}

private func complaint(_ words: String...) -> String? {
  do {
    _ = try FpcalcOptions.parse(words.map { Array($0.utf8) })
    return nil
  } catch {
    return "\(error)"
  }
}

@Suite(.bounded) struct `Options of fpcalc` {
  @Test func `stand before and after files`() throws {
    let found = try #require(try options("a", "-json", "-length", "60.5", "b", "-raw", "-signed"))
    #expect(found.inputs == [.file("a"), .file("b")])
    #expect(found.output == .json && found.length == 60.5 && found.isRaw && found.isSigned)
    let bare = try #require(try options("-f", "s16le", "-r", "8000", "-c", "2", "-t", "0", "-a", "5", "-"))
    #expect(bare.demuxer == "s16le" && bare.bare == BareAudio(sampleRate: 8_000, channelCount: 2))
    #expect(bare.length == 0 && bare.algorithm == 5 && bare.inputs == [.standardInput])
  }

  @Test func `have the defaults of Chromaprint's program`() throws {
    let found = try #require(try options("a"))
    #expect(found.output == .text && found.length == 120 && found.chunk == 0 && found.algorithm == 2)
    #expect(!found.isRaw && !found.isSigned && !found.overlaps && !found.usesClock && !found.ignoresErrors)
  }

  @Test func `end at two hyphens`() throws {
    #expect(try options("-plain", "--", "-json", "--", "-")?.inputs == [.file("-json"), .file("--"), .standardInput])
  }

  @Test func `are refused in its words`() {
    #expect(complaint() == "No input files")
    #expect(complaint("-json") == "No input files")
    #expect(complaint("-jsn", "a") == "Unknown option -jsn")
    #expect(complaint("a", "-length") == "Unknown option -length")
    #expect(complaint("-length", "-1", "a") == "The argument for -length must be a positive number")
    #expect(complaint("-length", "nan", "a") == "The argument for -length must be a positive number")
    #expect(complaint("-chunk", "1e300", "a") == "The argument for -chunk must be a positive number")
    #expect(complaint("-c", "0", "a") == "The argument for -c must be a non-zero positive number")
    #expect(complaint("-algorithm", "6", "a") == "The argument for -algorithm must be 1 - 5")
    for name in ["hls", "concat", "tedcaptions", "no format", ""] {
      #expect(complaint("-format", name, "a") == "Invalid format", "\(name)")
    }
  }

  @Test func `may ask for help and the version`() throws {
    for word in ["-h", "-help", "--help"] {
      guard case .help = try parse(word) else {
        Issue.record("\(word)")
        continue
      }
    }
    guard case .version = try parse("-json", "-version") else {
      Issue.record("-version")
      return
    }
  }

  @Test func `have limits`() throws {
    #expect(try options("-r", "0", "a")?.bare.sampleRate == nil && options("-r", "1", "a")?.bare.sampleRate == 1)
    #expect(complaint("-r", "-1", "a") == "The argument for -r must be a positive number")
    #expect(complaint("-rate", "2147483648", "a") == "The argument for -rate must be a positive number")
    #expect(try options("-channels", "1", "a")?.bare.channelCount == 1)
    for algorithm in 1...5 { #expect(try options("-a", "\(algorithm)", "a")?.algorithm == algorithm) }
    #expect(complaint("-a", "0", "a") == "The argument for -a must be 1 - 5")
    for name in ["-length", "-t", "-chunk"] {
      for text in ["0", "315360000"] { #expect(complaint(name, text, "a") == nil) }
      #expect(complaint(name, "315360000.5", "a") == "The argument for \(name) must be a positive number")
    }
    #expect(try options("-t", "0.5", "-chunk", "2.5", "a").map { [$0.length, $0.chunk] } == [0.5, 2.5])
  }

  @Test func `may be flags`() throws {
    let found = try #require(try options("-overlap", "-ts", "-raw", "-signed", "-ignore-errors", "-text", "-"))
    #expect(found.overlaps && found.usesClock && found.isRaw && found.isSigned && found.ignoresErrors)
    #expect(found.output == .text && found.inputs == [.standardInput])
    #expect(try options("-json", "-plain", "a")?.output == .plain && options("-plain", "-text", "a")?.output == .text)
    guard case .version = try parse("-v") else {
      Issue.record("-v")
      return
    }
  }

  @Test func `belong to a program of that name`() {
    #expect(Fpcalc.isInvoked(as: Array("/usr/bin/fpcalc".utf8)) && Fpcalc.isInvoked(as: Array("fpcalc".utf8)))
    #expect(!Fpcalc.isInvoked(as: Array("/opt/fpcalc/analyze".utf8)) && !Fpcalc.isInvoked(as: []))
  }
}
