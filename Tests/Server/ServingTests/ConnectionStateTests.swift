import AnalysisTesting
import NIOCore
import Testing

@testable import Serving

@Suite(.bounded) struct ConnectionStateTests {
  private let limits = ConnectionLimits()
  private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

  private func after(_ seconds: Int64) -> NIODeadline { start + .seconds(seconds) }

  @Test func aSilentClientIsSentAway() {
    var state = ConnectionState(limits, now: start)
    #expect(state.verdict(waiting: 0, now: after(9)) == .proceed)
    #expect(state.verdict(waiting: 0, now: after(11)) == .close)
  }

  @Test func aHeaderInDropsIsSentAway() {
    var state = ConnectionState(limits, now: start)
    for second in 1...20 { state.received(1, now: after(Int64(second))) }
    #expect(state.verdict(waiting: 0, now: after(20)) == .requestTimeout)
  }

  @Test func aBodyInDropsIsSentAwayAndASteadyOneIsNot() {
    var (slow, steady) = (ConnectionState(limits, now: start), ConnectionState(limits, now: start))
    for second in Int64(1)...40 {
      if second == 1 {
        slow.headEnded(now: after(1))
        steady.headEnded(now: after(1))
      }
      for bytes in [1, 2000] {
        if bytes == 1 {
          slow.received(bytes, now: after(second))
          slow.asksForBytes()
        } else {
          steady.received(bytes, now: after(second))
          steady.asksForBytes()
        }
      }
      #expect(steady.verdict(waiting: 0, now: after(second)) == .proceed)
    }
    #expect(slow.verdict(waiting: 0, now: after(40)) == .requestTimeout)
  }

  @Test func aClientIsNotSlowWhileWeDoNotListen() {
    var state = ConnectionState(limits, now: start)
    state.headEnded(now: start)
    state.received(100, now: start)
    #expect(state.verdict(waiting: 0, now: after(100)) == .proceed)
  }

  @Test func answersMayTakeLongAndMustBeTaken() {
    var state = ConnectionState(limits, now: start)
    state.headEnded(now: start)
    state.requestEnded(now: start)
    #expect(state.verdict(waiting: 0, now: after(3600)) == .proceed)
    state.wrote(1_000_000, now: after(3600))
    #expect(state.verdict(waiting: 900_000, now: after(3650)) == .proceed)
    #expect(state.verdict(waiting: 800_000, now: after(3700)) == .proceed)
    #expect(state.verdict(waiting: 800_000, now: after(3761)) == .close)
  }

  @Test func aConnectionMayBeIdleForSomeTime() {
    var state = ConnectionState(limits, now: start)
    state.headEnded(now: start)
    state.requestEnded(now: start)
    state.answerEnded(now: after(5))
    #expect(state.verdict(waiting: 0, now: after(60)) == .proceed)
    #expect(state.verdict(waiting: 0, now: after(66)) == .close)
  }

  @Test func theRestOfARefusedBodyIsNotTakenForEver() {
    var state = ConnectionState(limits, now: start)
    state.headEnded(now: start)
    state.answerEnded(now: start)
    #expect(state.verdict(waiting: 0, now: after(4)) == .proceed)
    #expect(state.verdict(waiting: 0, now: after(6)) == .close)
  }

  @Test func addressesAreCountedByNetwork() throws {
    var limits = limits
    limits.connectionsPerAddress = 2
    let counts = ConnectionCounts(limits) { $0.isLoopback }
    let (one, same, other) = (
      NetworkAddress("2001:db8::1"), NetworkAddress("2001:db8::2"), NetworkAddress("2001:db8:0:1::1")
    )
    #expect(counts.add(one))
    #expect(counts.add(same))
    #expect(!counts.add(one))
    #expect(counts.add(other))
    counts.remove(same)
    #expect(counts.add(one))
    for _ in 0..<10 { #expect(counts.add(NetworkAddress("127.0.0.1"))) }
  }

  private let moment = TimeAmount.nanoseconds(1)

  /// Each limit is the last moment at which a client is not yet too slow.
  @Test func limitsAreExact() {
    func expect(
      _ end: Int64, _ verdict: ConnectionState.Verdict, waiting: Int = 0,
      sourceLocation: SourceLocation = #_sourceLocation,
      _ change: (inout ConnectionState) -> Void
    ) {
      var state = ConnectionState(limits, now: start)
      change(&state)
      var later = state
      #expect(state.verdict(waiting: waiting, now: after(end)) == .proceed, sourceLocation: sourceLocation)
      #expect(later.verdict(waiting: waiting, now: after(end) + moment) == verdict, sourceLocation: sourceLocation)
    }
    expect(10, .close) { _ in }
    expect(11, .requestTimeout) { $0.received(1, now: after(1)) }
    expect(31, .requestTimeout) { $0.headEnded(now: after(1)) }
    expect(62, .close) {
      $0.headEnded(now: start)
      $0.requestEnded(now: after(1))
      $0.answerEnded(now: after(2))
    }
    expect(7, .close) {
      $0.headEnded(now: start)
      $0.answerEnded(now: after(2))
    }
    // A single byte that is not taken.
    expect(65, .close, waiting: 1) {
      $0.headEnded(now: start)
      $0.requestEnded(now: start)
      $0.wrote(1, now: after(5))
    }
  }

  /// 8 kB of a body in half a minute, again and again.
  @Test func aBodyKeepsAPace() {
    for (byteCount, isFast) in [(8191, false), (8192, true)] {
      var state = ConnectionState(limits, now: start)
      state.headEnded(now: start)
      state.received(byteCount, now: after(1))
      state.asksForBytes()
      #expect(state.verdict(waiting: 0, now: after(31)) == (isFast ? .proceed : .requestTimeout))
      guard isFast else { continue }
      state.received(8191, now: after(32))
      state.asksForBytes()
      #expect(state.verdict(waiting: 0, now: after(61)) == .proceed)
      #expect(state.verdict(waiting: 0, now: after(62)) == .requestTimeout)
    }
  }

  /// If an earlier request is still being answered, an answer to the slow one would be taken for its answer.
  @Test func aSlowSecondRequestGetsNoAnswer() {
    var state = ConnectionState(limits, now: start)
    state.headEnded(now: start)
    state.requestEnded(now: start)
    #expect(state.pending == 1)
    var head = state
    head.received(1, now: after(1))
    #expect(head.verdict(waiting: 0, now: after(1000)) == .proceed)
    head.answerEnded(now: after(1000))
    #expect(head.verdict(waiting: 0, now: after(1000)) == .requestTimeout)
    state.headEnded(now: after(1))
    #expect(state.pending == 2)
    var body = state
    #expect(body.verdict(waiting: 0, now: after(32)) == .close)
    state.answerEnded(now: after(2))
    // The body is not the rest of the answered request.
    #expect(state.verdict(waiting: 0, now: after(8)) == .proceed)
    state.requestEnded(now: after(8))
    #expect(state.pending == 1 && state.verdict(waiting: 0, now: after(1000)) == .proceed)
  }

  @Test func theRestOfABodyEndsItsTimeLimit() {
    var state = ConnectionState(limits, now: start)
    state.headEnded(now: start)
    state.answerEnded(now: after(2))
    state.requestEnded(now: after(3))
    #expect(state.pending == 0 && state.verdict(waiting: 0, now: after(60)) == .proceed)
  }

  /// The time to take bytes begins with the first that wait, and again with each that is taken.
  @Test func theTimeToReadBeginsWithWaitingBytes() {
    var state = ConnectionState(limits, now: start)
    state.headEnded(now: start)
    state.requestEnded(now: start)
    state.wrote(100, now: after(100))
    state.wrote(100, now: after(150))
    var (same, some) = (state, state)
    #expect(same.verdict(waiting: 200, now: after(160)) == .proceed)
    #expect(same.verdict(waiting: 200, now: after(161)) == .close)
    #expect(some.verdict(waiting: 150, now: after(161)) == .proceed)
    #expect(some.verdict(waiting: 150, now: after(221)) == .proceed)
    #expect(some.verdict(waiting: 150, now: after(222)) == .close)
    #expect(state.verdict(waiting: 0, now: after(161)) == .proceed)
    #expect(state.verdict(waiting: 0, now: after(1000)) == .proceed)
    state.wrote(100, now: after(1000))
    #expect(state.verdict(waiting: 100, now: after(1060)) == .proceed)
    #expect(state.verdict(waiting: 100, now: after(1061)) == .close)
  }

  @Test func anAddressHasSoManyConnections() {
    let counts = ConnectionCounts(limits) { _ in false }
    let one = NetworkAddress("192.0.2.1")
    for _ in 0..<96 { #expect(counts.add(one)) }
    #expect(!counts.add(one) && !counts.add(one))
    counts.remove(one)
    #expect(counts.add(one) && !counts.add(one))
    for _ in 0..<96 { counts.remove(one) }
    for _ in 0..<96 { #expect(counts.add(one)) }
    #expect(!counts.add(one))
    #expect(counts.add(nil) && counts.add(NetworkAddress("192.0.2.2")))
    counts.remove(nil)
  }

  @Test func theRestOfTheLimits() {
    #expect(limits.connections == 384)
    #expect(limits.headerBytes == 32_768 && limits.headerCount == 100)
    #expect(limits.tick == .seconds(1))
  }
}
