internal import AudioDecoding
internal import Chromaprint
internal import Platform
package import SystemPackage

/// The program `fpcalc`, which prints AcoustID fingerprints: a replacement for Chromaprint's program of the same name.
///
/// The fingerprints and the output are identical to those of Chromaprint's program. Unlike that program, this one
/// continues after a file that cannot be read, and does not treat a file that is too short as an error;
/// `docs/fpcalc.md` explains why.
package enum Fpcalc {
  package static let name = "fpcalc"

  /// Returns `true` if the name of the program, or the last component of its path, is `fpcalc`.
  package static func isInvoked(as program: [UInt8]) -> Bool {
    program.split(separator: UInt8(ascii: "/")).last.map { $0.elementsEqual(name.utf8) } ?? false
  }

  /// The exit statuses of Chromaprint's program.
  private enum Status {
    static let fine: Int32 = 0
    static let failed: Int32 = 2
    static let damaged: Int32 = 3
  }

  /// Runs the program. The process must have only one thread.
  ///
  /// - Parameters:
  ///   - arguments: The arguments without the program name.
  ///   - programVersion: The version of this program, which is printed after Chromaprint's version.
  ///   - database: Called in worker processes when needed. Returns the database of known files, or `nil` if there is
  ///     none.
  /// - Returns: The exit status.
  package static func run(_ arguments: [[UInt8]], programVersion: String, database: () -> FilePath?) -> Int32 {
    // If a program that reads the output, such as `head`, exits early, this causes a write error.
    FileDescriptor.reportBrokenPipes()
    do throws(FpcalcOptions.UsageError) {
      switch try FpcalcOptions.parse(arguments) {
      case .version:
        return write("fpcalc version \(ChromaprintContext.libraryVersion) (\(programVersion))\n") ? 0 : Status.failed
      case .help:
        return write(FpcalcOptions.help) ? 0 : Status.failed
      case .fingerprints(let options):
        return run(options, database: database)
      }
    } catch {
      complain("\(error)")
      return Status.failed
    }
  }

  private static func run(_ options: FpcalcOptions, database: () -> FilePath?) -> Int32 {
    let inputs = options.inputs
    var status = Status.fine
    var printed = InOrder(count: inputs.count)
    do {
      try CopiedWorkers.run(
        itemCount: inputs.count, workerCount: Threads.processorCount,
        prepare: {
          ResourceLimits.limitMemory(memoryLimit)
          let fingerprint = FileFingerprint(options, database: database)
          return { index, reporter in
            limitProcessorTime(of: inputs[index], options)
            return fingerprint.make(inputs[index], print: reporter.output, complain: reporter.message).rawValue
          }
        },
        body: { index, event in
          var verdict: FileVerdict?
          switch event {
          case .output(let text): printed.add(text, to: index)
          case .message(let text): complain(String(decoding: text, as: UTF8.self), about: inputs[index])
          case .end(let raw): verdict = FileVerdict(rawValue: raw) ?? .failed
          case .lost(let ending):
            verdict = .failed
            complain(reason(of: ending), about: inputs[index])
          }
          guard let verdict else { return try printed.write() }
          switch verdict {
          case .fine, .tooShort: break
          case .damaged: if status == Status.fine, !options.ignoresErrors { status = Status.damaged }
          case .failed:
            status = Status.failed
            // Empty output for this file keeps the output of the other files in position.
            if inputs.count > 1, printed.isEmpty(index) {
              printed.add(Array(FpcalcText(options: options).emptyText(duration: 0).utf8), to: index)
            }
          }
          printed.end(index)
          try printed.write()
        })
    } catch Errno.brokenPipe {
      return Status.failed
    } catch {
      complain("\(error)")
      return Status.failed
    }
    return status
  }

  // MARK: Limits

  /// Maximum writable memory in bytes. The most demanding hostile files need a third of it.
  private static let memoryLimit = 800 << 20

  /// CPU time in seconds allowed per file, and again per 100 s of audio: a hundred times the usual amount.
  private static let processorSeconds = 20

  private static func limitProcessorTime(of input: FpcalcOptions.Input, _ options: FpcalcOptions) {
    // Streams have no limit, because they may run for months.
    guard case .file = input else { return }
    let audio = options.length > 0 ? min(options.length, maxAudioSeconds) : maxAudioSeconds
    ResourceLimits.limitProcessorTime(toFurther: processorSeconds + Int(audio / 100) * processorSeconds)
  }

  /// Maximum duration of audio that counts for the limit of CPU time, in seconds: one day.
  private static let maxAudioSeconds = 86_400.0

  private static func reason(of loss: ChildProcess.Ending) -> String {
    switch loss {
    case .outOfProcessorTime: "Reading it took too much processor time."
    case .signal(let signal): "A decoder crashed on it (signal \(signal))."
    case .status: "Reading it ended early."
    }
  }

  // MARK: Output

  private static func write(_ text: String) -> Bool {
    (try? FileDescriptor.standardOutput.writeAll(Array(text.utf8))) != nil
  }

  private static func complain(_ text: String) {
    _ = try? FileDescriptor.standardError.writeAll(Array("ERROR: \(text)\n".utf8))
  }

  private static func complain(_ text: String, about input: FpcalcOptions.Input) {
    switch input {
    case .standardInput: complain(text)
    case .file(let path): complain("\(path.string): \(text)")
    }
  }
}

/// Writes the outputs for several files in the order of the files, each as early as possible.
private struct InOrder {
  private var texts: [[UInt8]]
  private var hasText: [Bool]
  private var hasEnded: [Bool]
  private var current = 0

  init(count: Int) {
    texts = Array(repeating: [], count: count)
    hasText = Array(repeating: false, count: count)
    hasEnded = hasText
  }

  mutating func add(_ text: [UInt8], to index: Int) {
    texts[index] += text
    hasText[index] = true
  }

  mutating func end(_ index: Int) { hasEnded[index] = true }

  func isEmpty(_ index: Int) -> Bool { !hasText[index] }

  mutating func write() throws {
    while current < texts.count {
      if !texts[current].isEmpty { _ = try FileDescriptor.standardOutput.writeAll(texts[current]) }
      texts[current] = []
      guard hasEnded[current] else { return }
      current += 1
    }
  }
}
