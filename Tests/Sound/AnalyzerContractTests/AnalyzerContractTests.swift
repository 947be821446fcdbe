import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Testing

@Suite(.bounded) struct `Every built-in analyzer` {
  @Test(arguments: BuiltInAnalyzers.all + BuiltInAnalyzers.onRequest)
  func `is named well`(kind: AnalyzerKind) {
    #expect(AnalyzerContract.breachesOfNaming(kind) == [])
  }

  @Test func `has an id of its own`() {
    #expect(Set(BuiltInAnalyzers.all.map(\.id)).count == BuiltInAnalyzers.all.count)
  }

  @Test func `reads only analyzers of audio that stand before it`() {
    var before: Set<String> = []
    for kind in BuiltInAnalyzers.all {
      #expect(before.isSuperset(of: kind.analyzerType.reads), "\(kind)")
      if let plugin = try? kind.make(resampler: "soxr"), plugin.feed != .file { before.insert(kind.id) }
    }
  }

  @Test(arguments: BuiltInAnalyzers.all)
  func `declares its finding well`(kind: AnalyzerKind) {
    #expect(AnalyzerContract.breachesOfDeclaration(kind) == [])
  }

  @Test(arguments: BuiltInAnalyzers.all + BuiltInAnalyzers.onRequest)
  func `takes good settings and refuses bad ones`(kind: AnalyzerKind) throws {
    #expect(try AnalyzerContract.breachesOfSettings(kind) == [])
  }

  @Test(arguments: BuiltInAnalyzers.all + BuiltInAnalyzers.onRequest, AnalyzerContract.challenges)
  func `copes with every signal`(kind: AnalyzerKind, challenge: AnalyzerContract.Challenge) throws {
    #expect(try AnalyzerContract.breachesOfFindings(kind, challenge, beside: BuiltInAnalyzers.all) == [])
  }

  @Test(arguments: BuiltInAnalyzers.all + BuiltInAnalyzers.onRequest)
  func `copes with every file`(kind: AnalyzerKind) throws {
    #expect(try AnalyzerContract.breachesOfFiles(kind) == [])
  }

  @Test(arguments: BuiltInAnalyzers.all + BuiltInAnalyzers.onRequest)
  func `is another one with another resampler only if its feed is resampled`(kind: AnalyzerKind) throws {
    let (first, second) = (try kind.make(resampler: "soxr"), try kind.make(resampler: "samplerate"))
    #expect((first.identity == second.identity) == !first.feed.dependsOnResampler)
    #expect(first.configuration == second.configuration)
  }
}
