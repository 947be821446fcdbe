public import Platform
internal import Synchronization

/// Fetches whole objects to the local disk, checks their size and entity tag, and retries after transient failures.
/// Several threads may use it at once; each of them blocks while it fetches.
public final class ObjectFetcher: Sendable {
  let access: ObjectAccess
  let policy: FetchPolicy
  private let space: FetchSpace
  /// The regions of buckets that are not in the configured region.
  private let regions = Mutex<[String: String]>([:])

  public init(_ access: ObjectAccess, space: FetchSpace, policy: FetchPolicy = FetchPolicy()) {
    self.access = access
    self.space = space
    self.policy = policy
  }

  /// - Parameter isCancelled: Called every tenth of a second or more often.
  /// - Returns: `nil` if the fetch was canceled.
  /// - Throws: `FetchFailure`.
  public func fetch(_ address: ObjectAddress, isCancelled: () -> Bool) throws(FetchFailure) -> FetchedObject? {
    var state = Progress()
    var failures = 0
    while true {
      let attempt = Attempt(
        address: address, region: region(of: address.name.authority), access: access, space: space,
        policy: policy)
      switch try attempt.perform(&state, isCancelled: isCancelled) {
      case .complete(let object): return object
      case .cancelled: return nil
      case .elsewhere(let region):
        failures += 1
        guard failures < policy.attempts else {
          throw FetchFailure(.badAnswer, "The server keeps naming other regions for the bucket.")
        }
        note(region, of: address.name.authority)
      case .spaceTaken(let size):
        // The connection is not kept open during the wait, because servers close idle connections.
        while case .later = try space.reserve(size) {
          guard pause(.milliseconds(100), isCancelled) else { return nil }
        }
      case .trouble(let reason, let retryAfter):
        failures += 1
        guard failures < policy.attempts else {
          throw FetchFailure(.unavailable, "It could not be fetched in \(failures) tries: \(reason).")
        }
        guard pause(policy.pause(after: failures, asked: retryAfter), isCancelled) else { return nil }
      }
    }
  }

  /// Returns the region of a bucket, if it is known to differ from the configured one.
  func region(of bucket: String) -> String? { regions.withLock { $0[bucket] } }

  func note(_ region: String, of bucket: String) { regions.withLock { $0[bucket] = region } }

  /// - Returns: `false` if the pause was canceled.
  func pause(_ time: Duration, _ isCancelled: () -> Bool) -> Bool {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
      if isCancelled() { return false }
      Threads.pause(milliseconds: min(max(1, Int((end - .now) / .milliseconds(1))), 50))
    }
    return !isCancelled()
  }
}

/// The progress of fetching an object over all attempts.
struct Progress {
  /// The version according to the first response.
  var version: ObjectVersion?
  var download: Download?
}

/// A single request for an object.
struct Attempt {
  enum Ending {
    case complete(FetchedObject)
    /// A transient failure. The text completes "because …".
    case trouble(String, retryAfter: Duration?)
    /// The bucket is in another region.
    case elsewhere(String)
    /// There is no space at the moment; retry. The value is the size of the object, if known.
    case spaceTaken(Int?)
    case cancelled
  }

  let address: ObjectAddress
  let region: String?
  let access: ObjectAccess
  let space: FetchSpace
  let policy: FetchPolicy

  /// Maximum number of bytes to read from an error response in order to find the reason.
  private static let explanationLimit = 1 << 14

  func perform(_ progress: inout Progress, isCancelled: () -> Bool) throws(FetchFailure) -> Ending {
    let process: PipedProcess
    var reader: ResponseReader
    do throws(PipedProcess.Failure) {
      let request = request(progress)
      reader = ResponseReader(followsRedirects: request.isRedirected)
      process = try PipedProcess(ProgramCommand(CurlRequest.arguments), hasInput: true, patience: .seconds(10))
      try process.write(request.text)
      process.endInput()
    } catch {
      throw Self.failure(error)
    }
    var head: ResponseHead?
    var explanation: [UInt8] = []
    while true {
      let part: PipedProcess.Line
      do throws(PipedProcess.Failure) {
        process.allow(policy.silence * 2 + .seconds(10))
        part = try process.nextOutput(isCancelled: isCancelled)
      } catch {
        return .trouble("the server was silent for \(policy.silence.components.seconds) s", retryAfter: nil)
      }
      guard case .text(var bytes) = part else {
        if case .cancelled = part { return .cancelled }
        break
      }
      if head == nil {
        switch reader.take(bytes) {
        case .needsMore: continue
        case .invalid: throw FetchFailure(.badAnswer, "The server does not speak HTTP, or its headers are too long.")
        case .head(let found, let rest):
          head = found
          bytes = rest
          if let ending = try begin(found, &progress) { return ending }
        }
      }
      guard let head else { continue }
      if head.isObject {
        try progress.download?.append(bytes)
      } else {
        explanation += bytes
        if explanation.count > Self.explanationLimit { break }
      }
    }
    return try end(process, head, explanation, progress)
  }

  static func failure(_ error: PipedProcess.Failure) -> FetchFailure {
    switch error {
    case .cannotStart(let reason): .missingCurl("\(reason)")
    case .timeout, .tooMuchOutput: FetchFailure(.noClient, "The program curl does not read its configuration.")
    }
  }

  private func request(_ progress: Progress) -> CurlRequest {
    var request = access.request(for: address, region: region, silence: policy.silence)
    guard let tag = progress.version?.strongTag else { return request }
    request.addHeader("If-Match", tag)
    if let download = progress.download, download.written > 0 { request.set("range", "\(download.written)-") }
    return request
  }

  /// Prepares to receive the bytes after the head of a response.
  /// - Returns: `nil` if the attempt should continue.
  private func begin(_ head: ResponseHead, _ progress: inout Progress) throws(FetchFailure) -> Ending? {
    guard head.isObject else { return nil }
    let version = ObjectVersion(head)
    if let known = progress.version, !known.isSame(as: version) { throw Self.changed }
    let start = head.status == 206 ? ObjectVersion.range(of: head)?.start : 0
    if let download = progress.download {
      if start != download.written {
        try download.startOver()
        if start != 0 { return .trouble("the server sent another range than the requested one", retryAfter: nil) }
      }
    } else {
      guard start == 0 else {
        throw FetchFailure(.badAnswer, "The server sent only a part of the object, although all of it was requested.")
      }
      guard case .granted(let reservation) = try space.reserve(version.size) else { return .spaceTaken(version.size) }
      progress.download = try Download(named: address.name.fileName, in: space, reservation)
    }
    progress.version = progress.version ?? version
    return nil
  }

  private static let changed = FetchFailure(
    .changed, "The object changed while it was fetched. Request it again to fetch the new version.")

  private func end(
    _ process: PipedProcess, _ head: ResponseHead?, _ explanation: [UInt8], _ progress: Progress
  ) throws(FetchFailure) -> Ending {
    if let head, !head.isObject {
      return try ending(of: Refusal(head, explanation), hasBegun: progress.version != nil)
    }
    let ending: ChildProcess.Ending
    do throws(PipedProcess.Failure) {
      process.allow(.seconds(10))
      ending = try process.waitForEnd()
    } catch {
      return .trouble("curl did not end", retryAfter: nil)
    }
    switch CurlEnding(ending, silence: policy.silence) {
    case .failed(let failure): throw failure
    case .broken(let reason):
      try dropUnlessResumable(progress)
      return .trouble(reason, retryAfter: nil)
    case .fine: break
    }
    guard let download = progress.download, let version = progress.version, head != nil else {
      return .trouble("the server closed the connection without an answer", retryAfter: nil)
    }
    if let size = version.size, download.written != size {
      try dropUnlessResumable(progress)
      return .trouble("the answer ended early", retryAfter: nil)
    }
    return .complete(FetchedObject(download, version))
  }

  /// Restarts the download if there is no strong tag, because the next response may contain other bytes.
  private func dropUnlessResumable(_ progress: Progress) throws(FetchFailure) {
    if progress.version?.strongTag == nil { try progress.download?.startOver() }
  }

  private func ending(of refusal: Refusal, hasBegun: Bool) throws(FetchFailure) -> Ending {
    if let region = refusal.region, region != self.region, address.name.scheme == .s3 { return .elsewhere(region) }
    let said = refusal.text
    switch refusal.status {
    case _ where refusal.isTransient: return .trouble("the server answered \(said)", retryAfter: refusal.retryAfter)
    case 412 where hasBegun, 416 where hasBegun: throw Self.changed
    case 404 where hasBegun, 410 where hasBegun:
      throw FetchFailure(.changed, "It was removed while it was fetched.")
    case 404, 410: throw FetchFailure(.notFound, "The server has no such object (\(said)).")
    case 401, 403, 407:
      throw FetchFailure(
        .denied, "Reading it is not permitted (\(said)); see Objects in docs/workers.md for keys.")
    default: throw FetchFailure(.badAnswer, "The server answered \(said).")
    }
  }
}

/// A response other than an object.
struct Refusal {
  let status: Int
  /// The error code, such as `SlowDown`, from object stores that respond in XML.
  let code: String?
  let retryAfter: Duration?
  let region: String?

  init(_ head: ResponseHead, _ body: [UInt8]) {
    status = head.status
    // Nothing else in the body is used, because object stores repeat the keys and signatures of a request there.
    code = String(decoding: body, as: UTF8.self).firstMatch(of: /<Code>([A-Za-z0-9]{1,64})<\/Code>/).map {
      String($0.1)
    }
    retryAfter = head["retry-after"].flatMap { Int($0) }.map { .seconds(max(0, $0)) }
    region = head["x-amz-bucket-region"].flatMap { $0.wholeMatch(of: /[a-z0-9\-]{1,40}/) == nil ? nil : $0 }
  }

  var isTransient: Bool {
    [408, 425, 429, 500, 502, 503, 504].contains(status) || code == "RequestTimeout" || code == "SlowDown"
  }

  var text: String { code.map { "\(status) \($0)" } ?? "\(status)" }
}

extension ResponseHead {
  fileprivate var isObject: Bool { status == 200 || status == 206 }
}
