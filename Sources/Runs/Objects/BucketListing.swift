internal import Platform

/// The objects in a folder of a bucket or, if there are none, the object with the folder's name. They are fetched in
/// pages of up to 1,000.
public struct BucketListing {
  private let folder: ObjectFolder
  private let fetcher: ObjectFetcher
  private var ready: ArraySlice<ListedObject> = []
  private var continuation: String?
  private var state = State.folder

  private enum State {
    case folder, single, ended
  }

  public init(_ folder: ObjectFolder, through fetcher: ObjectFetcher) {
    self.folder = folder
    self.fetcher = fetcher
  }

  /// - Returns: The next object; `nil` at the end or if canceled.
  public mutating func next(isCancelled: () -> Bool) throws(FetchFailure) -> ListedObject? {
    while ready.isEmpty, state != .ended {
      guard let page = try fetcher.page(of: folder, prefix: prefix, continuation, isCancelled: isCancelled) else {
        return nil
      }
      // The key of the folder itself sorts before all keys that begin with it.
      ready = state == .folder ? page.objects[...] : page.objects.prefix(1).filter { folder.isName($0.encodedKey) }[...]
      let isEmpty = state == .folder && continuation == nil && page.continuation == nil && ready.isEmpty
      continuation = state == .folder ? page.continuation : nil
      // If the folder is empty, its name may be that of an object.
      if continuation == nil { state = isEmpty && !folder.key.isEmpty ? .single : .ended }
    }
    return ready.popFirst()
  }

  private var prefix: [UInt8] {
    folder.key.isEmpty || state == .single ? folder.key : folder.key + [UInt8(ascii: "/")]
  }
}

extension ObjectFetcher {
  /// Fetches one page of a listing, retrying transient failures. Returns `nil` if canceled.
  func page(
    of folder: ObjectFolder, prefix: [UInt8], _ continuation: String?, isCancelled: () -> Bool
  ) throws(FetchFailure) -> ListingPage? {
    var failures = 0
    while true {
      var request = access.request(
        listing: folder, prefix: prefix, continuation, region: region(of: folder.bucket), silence: policy.silence)
      request.set("compressed")
      switch try answer(to: request, region: region(of: folder.bucket), isCancelled: isCancelled) {
      case .cancelled: return nil
      case .bytes(let bytes):
        guard let page = ListingPage(bytes) else {
          throw FetchFailure(.badAnswer, "The server does not list the bucket as S3 does (ListObjectsV2).")
        }
        return page
      case .elsewhere(let region):
        failures += 1
        guard failures < policy.attempts else {
          throw FetchFailure(.badAnswer, "The server keeps naming other regions for the bucket.")
        }
        note(region, of: folder.bucket)
      case .trouble(let reason, let retryAfter):
        failures += 1
        guard failures < policy.attempts else {
          throw FetchFailure(.unavailable, "It could not be listed in \(failures) tries: \(reason).")
        }
        guard pause(policy.pause(after: failures, asked: retryAfter), isCancelled) else { return nil }
      }
    }
  }

  private enum ListingAnswer {
    case bytes([UInt8])
    case trouble(String, retryAfter: Duration?)
    case elsewhere(String)
    case cancelled
  }

  private func answer(
    to request: CurlRequest, region: String?, isCancelled: () -> Bool
  ) throws(FetchFailure) -> ListingAnswer {
    let process: PipedProcess
    var reader = ResponseReader(followsRedirects: false)
    var found: (head: ResponseHead, body: [UInt8])?
    let ending: ChildProcess.Ending
    do throws(PipedProcess.Failure) {
      process = try PipedProcess(ProgramCommand(CurlRequest.arguments), hasInput: true, patience: .seconds(10))
      try process.write(request.text)
      process.endInput()
      reading: while true {
        process.allow(policy.silence * 2 + .seconds(10))
        switch try process.nextOutput(isCancelled: isCancelled) {
        case .cancelled: return .cancelled
        case .none: break reading
        case .text(let bytes):
          if found != nil {
            found?.body += bytes
          } else if case .head(let head, let rest) = reader.take(bytes) {
            found = (head, rest)
          }
        }
        guard (found?.body.count ?? 0) < Self.maxPageSize else {
          throw .tooMuchOutput
        }
      }
      ending = try process.waitForEnd()
    } catch {
      switch error {
      case .cannotStart: throw Attempt.failure(error)
      case .timeout: return .trouble("the server was silent", retryAfter: nil)
      case .tooMuchOutput: throw FetchFailure(.badAnswer, "The server sent a page that is too long.")
      }
    }
    if let found, found.head.status != 200 {
      let refusal = Refusal(found.head, found.body)
      if let other = refusal.region, other != region { return .elsewhere(other) }
      if refusal.isTransient { return .trouble("the server answered \(refusal.text)", retryAfter: refusal.retryAfter) }
      switch refusal.status {
      case 404: throw FetchFailure(.notFound, "The server has no such bucket (\(refusal.text)).")
      case 401, 403:
        throw FetchFailure(
          .denied,
          "Listing it is not permitted (\(refusal.text)); see Objects in docs/workers.md for keys.")
      default: throw FetchFailure(.badAnswer, "The server answered \(refusal.text).")
      }
    }
    switch CurlEnding(ending, silence: policy.silence) {
    case .failed(let failure): throw failure
    case .broken(let reason): return .trouble(reason, retryAfter: nil)
    case .fine: return found.map { .bytes($0.body) } ?? .trouble("the server closed the connection", retryAfter: nil)
    }
  }

  /// Maximum size of a page in bytes: 1,000 keys of 1,024 bytes each, percent-encoded, with markup.
  private static let maxPageSize = 8 << 20
}
