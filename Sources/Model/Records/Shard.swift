public import Analysis
internal import Text

/// One of several equal parts of an input. The part to which a line belongs depends only on the key of the line, on
/// every machine and in every run. So several workers can read the same list, and exactly one of them answers each
/// line.
///
/// The index of the part is XXH3-128 (seed 0) of the key's bytes, as a number, modulo the number of parts.
public struct Shard: Hashable, Sendable {
  /// The index of the part, counted from 0.
  public let index: Int
  public let count: Int

  public init(index: Int, of count: Int) throws(ConfigurationError) {
    guard count >= 1 else { throw ConfigurationError(key: "", problem: "there must be at least one shard") }
    guard (0..<count).contains(index) else {
      throw ConfigurationError(
        key: "", problem: "shards are counted from 0: with N = \(count), K is 0 to \(count - 1), not \(index)")
    }
    self.index = index
    self.count = count
  }

  /// Parses `K/N`.
  public init(_ text: String) throws(ConfigurationError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Self.number(parts[0]), let count = Self.number(parts[1]) else {
      throw ConfigurationError(key: "", problem: "expects K/N, such as 0/4 for the first of four, not '\(text)'")
    }
    try self.init(index: index, of: count)
  }

  public func contains(_ key: [UInt8]) -> Bool { Self.index(of: key, count: count) == index }

  package static func index(of key: [UInt8], count: Int) -> Int {
    let hash = ContentID(hashing: key)
    return Int((UInt128(hash.high) << 64 | UInt128(hash.low)) % UInt128(count))
  }

  fileprivate static func number(_ text: some StringProtocol) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }
}

extension Shard {
  /// Creates the part for this element of an array job, from its index in `JOB_COMPLETION_INDEX` (Kubernetes),
  /// `AWS_BATCH_JOB_ARRAY_INDEX` or `SLURM_ARRAY_TASK_ID`.
  ///
  /// - Parameter count: The number of parts; `nil` to use the number of elements from Slurm or AWS Batch.
  public init(count given: Int?, environment: [String: String]) throws(ConfigurationError) {
    func number(_ name: String) throws(ConfigurationError) -> Int? {
      guard let text = environment[name], !text.isEmpty else { return nil }
      guard let number = Shard.number(text) else {
        throw ConfigurationError(key: "", problem: "the variable \(name) is not a number: '\(text)'")
      }
      return number
    }
    let known = [Self.kubernetes, Self.awsBatch, Self.slurm].filter { !(environment[$0] ?? "").isEmpty }
    guard let name = known.first, var index = try number(name) else {
      throw ConfigurationError(
        key: "",
        problem:
          "needs one of the variables \(Self.kubernetes), \(Self.awsBatch) and \(Self.slurm); outside an array "
          + "job, give --shard K/N")
    }
    guard known.count == 1 else {
      throw ConfigurationError(
        key: "", problem: "finds several array jobs (\(known.joined(separator: ", "))); give --shard K/N")
    }
    var elements: Int?
    switch name {
    case Self.awsBatch: elements = try number("AWS_BATCH_JOB_ARRAY_SIZE")
    case Self.slurm:
      elements = try number("SLURM_ARRAY_TASK_COUNT")
      let first = try number("SLURM_ARRAY_TASK_MIN") ?? 0
      let step = max(1, try number("SLURM_ARRAY_TASK_STEP") ?? 1)
      index = (index - first) / step
    default: break
    }
    guard let count = given ?? elements else {
      throw ConfigurationError(key: "", problem: "cannot get the number of elements from \(name); give --shards N")
    }
    // If only some elements of an array job are restarted, the scheduler counts only those.
    if let elements, elements != count {
      throw ConfigurationError(
        key: "",
        problem: "is \(count), but the array job has \(elements) elements; give --shard K/N to choose")
    }
    try self.init(index: index, of: count)
  }

  private static let kubernetes = "JOB_COMPLETION_INDEX"
  private static let awsBatch = "AWS_BATCH_JOB_ARRAY_INDEX"
  private static let slurm = "SLURM_ARRAY_TASK_ID"
}
