internal import Analysis
internal import Platform

/// Measures the time of each stage of an analysis. A stage lasts until the next one is entered. A clock must be used on
/// only one thread, and costs almost nothing if it is not running.
public final class StageClock {
  struct Stage {
    fileprivate let place: Int

    static let other = Stage(place: 0), open = Stage(place: 1), decode = Stage(place: 2), downmix = Stage(place: 3)
    static let resample = Stage(place: 4), spectrum = Stage(place: 5)
    static let checksum = Stage(place: 6)
  }

  private let isRunning: Bool
  private var names = ["other", "open", "decode", "downmix", "resample", "spectrum", "checksum"]
  private var nanoseconds: [UInt64]
  private var current = Stage.other
  private var since: UInt64 = 0

  /// - Parameter isRunning: `false` to measure nothing.
  public init(isRunning: Bool = false) {
    self.isRunning = isRunning
    nanoseconds = Array(repeating: 0, count: names.count)
    if isRunning { since = Self.now }
  }

  func stage(ofAnalyzer id: String) -> Stage {
    let name = "analyzer \(id)"
    if let place = names.firstIndex(of: name) { return Stage(place: place) }
    names.append(name)
    nanoseconds.append(0)
    return Stage(place: names.count - 1)
  }

  /// Ends the current stage and begins another.
  /// - Returns: The ended stage, so that the caller can return to it; `stage` itself if the clock is not running.
  @discardableResult func enter(_ stage: Stage) -> Stage {
    guard isRunning else { return stage }
    let (ended, now) = (current, Self.now)
    nanoseconds[ended.place] += now - since
    (current, since) = (stage, now)
    return ended
  }

  /// The times of the stages so far; `nil` if the clock is not running.
  var times: StageTimes? {
    guard isRunning else { return nil }
    enter(current)
    var times = StageTimes()
    for (name, time) in zip(names, nanoseconds) where time > 0 { times.add(Double(time) / 1e9, to: name) }
    return times
  }

  /// The current time. It is read about 80,000 times per minute of audio.
  private static var now: UInt64 { MonotonicTime.nanoseconds }
}
