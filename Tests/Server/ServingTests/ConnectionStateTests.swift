import NIOCore
import Testing

@testable import Serving

@Suite struct ConnectionStateTests {
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
}
