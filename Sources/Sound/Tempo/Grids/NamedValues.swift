/// Numbers that are named where they are computed. Fitted weights are assigned to them by name, so their order does not
/// matter.
struct NamedValues {
  private(set) var values: [Float] = []
  private var labels: [Label] = []
  private let isNamed: Bool

  private struct Label {
    var name: StaticString
    /// The lane of `OnsetEnvelopes`; `nil` for a value that is not per lane.
    var lane: Int?
  }

  /// - Parameter named: `true` to keep the names as well.
  init(capacity: Int = 0, named: Bool = true) {
    isNamed = named
    values.reserveCapacity(capacity)
    if named { labels.reserveCapacity(capacity) }
  }

  mutating func add(_ name: StaticString, _ value: Float, lane: Int? = nil) {
    values.append(value)
    if isNamed { labels.append(Label(name: name, lane: lane)) }
  }

  mutating func add(_ name: StaticString, _ lanes: OnsetEnvelopes.Lanes) {
    for lane in 0..<lanes.scalarCount { add(name, lanes[lane], lane: lane) }
  }

  mutating func add(_ others: NamedValues) {
    values += others.values
    labels += others.labels
  }

  var names: [String] {
    labels.map { label in
      label.lane.map { "\(label.name).\(OnsetEnvelopes.laneNames[$0])" } ?? "\(label.name)"
    }
  }

  subscript(name: String) -> Float? { names.firstIndex(of: name).map { values[$0] } }
}
