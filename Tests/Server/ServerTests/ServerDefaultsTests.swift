import AnalysisEngine
import AnalysisTesting
import Foundation
import Testing

@testable import Server

/// Options of a server that were not given.
@Suite(.bounded) struct ServerDefaultsTests {
  @Test func optionsHaveDefaults() {
    let options = ServerOptions(catalog: "/c", fileAnalysis: SingleFileAnalysis(timeLimit: .standard))
    #expect(options.catalog == "/c" && options.otherCatalogs.isEmpty && options.catalogParts.isEmpty)
    #expect(options.threadCount == 4 && options.recognitionThreadCount == 2)
    // One processor stays free if there are several.
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let expected = processors == 1 ? 1 : processors < 5 ? processors - 1 : 4
    #expect(options.coverThreadCount == expected)
    #expect(options.maximumWaiting == 256 && options.maximumSessionCount == 200)
    #expect(options.writeTimeout == .seconds(5) && options.coverTimeout == .seconds(10))
    #expect(!options.servesLinksOutside && options.coverCommand.isEmpty && options.decoder.isEmpty)
    #expect(options.watch == nil)
  }
}
