internal import Analysis
internal import Foundation
internal import Platform
internal import SystemPackage
internal import Text

/// Sends the forms of a list. Each answer is written to `results.ndjson` as soon as it arrives, one line per request.
/// At most three requests per second are sent, as AcoustID demands.
struct AcoustIDSender {
  let isSubmission: Bool
  private let keys: AcoustIDKeys
  private let address: String
  private let folder: FilePath
  private let connection: any AcoustIDService
  /// Waits for a number of seconds.
  private let sleep: (Double) -> Void

  private static let resultsName = "results.ndjson"
  /// Minimum time from an answer to the next request, in seconds.
  private static let interval = 1.0 / 3
  /// Maximum number of attempts per request.
  private static let attempts = 5
  /// Maximum waiting time in seconds, even if the server requests more.
  private static let maxPause = 600

  /// Returns `nil` without the option `send`.
  /// - Parameters:
  ///   - connection: The service to send to; `nil` for AcoustID or the server that the options name.
  ///   - sleep: Waits for a number of seconds.
  init?(
    _ context: ExportContext, connection: (any AcoustIDService)? = nil,
    sleep: @escaping (Double) -> Void = { Thread.sleep(forTimeInterval: $0) }
  ) throws(ExportError) {
    switch context.options["send"] {
    case nil: return nil
    case "lookup": isSubmission = false
    case "submit": isSubmission = true
    case let other?: throw .badOption("send", value: other, expected: "lookup or submit")
    }
    let server = context.options["server"] ?? "https://api.acoustid.org/v2"
    guard server.hasPrefix("https://") || server.hasPrefix("http://") else {
      throw .badOption("server", value: server, expected: "an address that begins with https:// or http://")
    }
    keys = try AcoustIDKeys(file: context.options["key-file"].map { FilePath($0) }, needsUser: isSubmission)
    address = (server.hasSuffix("/") ? String(server.dropLast()) : server) + (isSubmission ? "/submit" : "/lookup")
    folder = context.output ?? "."
    do {
      try context.overwriting.forRegularFiles.check(
        folder.appending(Self.resultsName), .text(beginning: "{\"line\":1,\"first_index\":"))
    } catch {
      throw .refused(error)
    }
    self.connection = connection ?? AcoustIDConnection(program: context.program)
    self.sleep = sleep
  }

  /// - Parameter list: A file of forms.
  /// - Returns: The file of results.
  /// - Throws: `ExportError.unavailable` if AcoustID cannot be reached or rejects the keys. The file of results then
  ///   contains the answers received so far.
  func send(_ list: FilePath) throws(ExportError) -> FilePath {
    let path = folder.appending(Self.resultsName)
    let results: FileDescriptor
    let lines: FileDescriptor
    do {
      lines = try FileDescriptor.open(list, .readOnly)
      // Unlike other files, this one is not replaced at the end, because requests cannot be undone once sent.
      results = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .truncate, .append, .nonBlocking],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
    } catch {
      throw .cannotCreate(path, reason: "\(error)")
    }
    defer {
      try? lines.close()
      try? results.close()
    }
    var reader = LineReader(reading: lines, limit: AcoustIDList.maxRequestBytes * 2)
    var number = 0
    var pace = Pace(sleep: sleep)
    do {
      while case .text(let line)? = try reader.next() {
        number += 1
        var waiting = [(form: AcoustIDForm(text: String(decoding: line, as: UTF8.self)), start: 0)]
        while let (form, start) = waiting.popLast() {
          let answer = try answer(to: form, line: number, &pace)
          if answer.status == 413, let (first, second) = form.halves {
            waiting += [(second, start + first.entries.count), (first, start)]
            continue
          }
          let text = Self.result(answer, line: number, start: start, count: form.entries.count)
          try results.writeAll(text)
          if let problem = Self.finalProblem(answer) { throw ExportError.unavailable(problem) }
        }
      }
    } catch let error as ExportError {
      throw error
    } catch {
      throw .cannotWrite(path, reason: "\(error)")
    }
    return path
  }

  /// Sends one form. Retries after status 429, server errors and failed connections.
  private func answer(
    to form: AcoustIDForm, line: Int, _ pace: inout Pace
  ) throws(ExportError) -> AcoustIDConnection.Answer {
    var reason = ""
    for attempt in 0..<Self.attempts {
      pace.wait(Self.interval)
      var pause = 1 << attempt
      defer { pace.rest() }
      do throws(AcoustIDConnection.Failure) {
        let answer = try connection.post(keys.fields(isSubmission: isSubmission) + form.text, to: address)
        guard answer.status == 429 || answer.status >= 500 else { return answer }
        reason = "the server answered with status \(answer.status)"
        pause = min(answer.retryAfter ?? pause, Self.maxPause)
      } catch {
        reason = error.reason
        if error.isFinal { break }
      }
      if attempt + 1 < Self.attempts { sleep(Double(pause)) }
    }
    throw .unavailable(
      "AcoustID did not answer request \(line): \(reason). The requests before it are in \(folder.string)/\(Self.resultsName); "
        + "export again later.")
  }

  /// Returns the message of a problem that would also affect all later requests; otherwise `nil`.
  private static func finalProblem(_ answer: AcoustIDConnection.Answer) -> String? {
    guard answer.status != 200 else { return nil }
    var message: String?
    if case .object(let object)? = try? JSONValue(parsing: answer.body), case .object(let error)? = object["error"],
      case .string(let text)? = error["message"]
    {
      message = text
    }
    switch answer.status {
    case 400...403:
      return
        "AcoustID refused the request: \(message ?? "status \(answer.status)"). Check the keys; nothing more was sent."
    case 413: return nil
    default: return "AcoustID answered with status \(answer.status). Check --option server; nothing more was sent."
    }
  }

  private static func result(
    _ answer: AcoustIDConnection.Answer, line: Int, start: Int, count: Int
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("line")
    writer.integer(line)
    writer.key("first_index")
    writer.integer(start)
    writer.key("count")
    writer.integer(count)
    writer.key("http_status")
    writer.integer(answer.status)
    writer.key("answer")
    if let value = try? JSONValue(parsing: answer.body) { writer.value(value) } else { writer.null() }
    writer.endObject()
    writer.endLine()
    return writer.bytes
  }
}

/// Determines when the next request may start.
private struct Pace {
  private let sleep: (Double) -> Void
  private var last: ContinuousClock.Instant?

  init(sleep: @escaping (Double) -> Void) { self.sleep = sleep }

  func wait(_ seconds: Double) {
    guard let last else { return }
    let left = .seconds(seconds) - (ContinuousClock.now - last)
    if left > .zero { sleep(left / .seconds(1)) }
  }

  /// Records the end of a request.
  mutating func rest() { last = .now }
}
