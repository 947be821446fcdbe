/// The time that analyses spent in each stage, in seconds of wall time on the threads that did the work.
///
/// Stages are `scan`, `open` (reading and hashing what identifies the audio), `decode`, `downmix`, `resample`,
/// `spectrum`, `analyzer ID`, `store`, `report`, and `other`.
public struct StageTimes: Hashable, Sendable, Codable {
  public private(set) var seconds: [String: Double] = [:]

  public init() {}

  public var isEmpty: Bool { seconds.isEmpty }
  public var total: Double { seconds.values.reduce(0, +) }

  public mutating func add(_ time: Double, to stage: String) { seconds[stage, default: 0] += time }

  public mutating func add(_ other: StageTimes) { seconds.merge(other.seconds, uniquingKeysWith: +) }

  /// Runs `body`, and adds the time it took to a stage.
  public mutating func measure<Value, Failure>(
    _ stage: String, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let start = ContinuousClock.now
    defer { add((ContinuousClock.now - start) / .seconds(1), to: stage) }
    return try body()
  }
}
