import AnalysisTesting
import Testing

/// The libraries that are loaded. FFmpeg's, with their dependencies, take longer than a search.
@Suite(.bounded) struct LoadingTests {
  @Test func decodersAreLoadedWhenSomethingIsDecoded() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    #expect(try place.run().status == 0)
    func loadsDecoders(_ arguments: Argument...) throws -> Bool {
      let outcome = try place.start(arguments, environment: ["LD_DEBUG": "libs"]).end()
      #expect(outcome.status == 0)
      #expect(outcome.errors.contains("libsqlite3.so"), "the loader tells what it loads")
      return outcome.errors.contains("libavcodec.so")
    }
    let database = Argument(place.database)
    #expect(try !loadsDecoders("--version"))
    #expect(try !loadsDecoders("search", "--database", database, "a"))
    #expect(try !loadsDecoders("show", "--database", database, "library/a.wav"))
    #expect(try loadsDecoders("fpcalc", "library/a.wav"))
  }
}
