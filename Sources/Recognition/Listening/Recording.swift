internal import Platform
internal import Recognition
internal import SystemPackage

/// An open source of audio. Opening and reading may block, so do both on a separate thread.
final class Recording: Sendable {
  private let source: RecordingSource
  private let file: FileDescriptor
  private let command: RecordingCommand?
  /// A pipe that wakes the reading thread when a byte is written to it.
  private let wakeUp: (readEnd: FileDescriptor, writeEnd: FileDescriptor)

  /// Time in milliseconds after which a stopped command is killed if it has not ended.
  private static let stopTimeout: Int32 = 2_000
  /// Maximum number of frames per read.
  private static let blockSize = 4096
  /// Maximum magnitude of floating-point samples; larger ones are clipped.
  private static let sampleLimit: Float = 16

  init(_ source: RecordingSource) throws(RecordingError) {
    self.source = source
    do {
      switch source.origin {
      case .standardInput:
        file = .standardInput
        command = nil
      case .file(let path):
        // Opening a named pipe that has no writer must not block, because nothing could interrupt it.
        file = try FileDescriptor.openWithoutWaiting(path)
        file.setBlocking()
        command = nil
      case .command(let words):
        let command = try RecordingCommand(words)
        file = command.output
        self.command = command
      }
      wakeUp = try FileDescriptor.pipe(options: .closeOnExec)
    } catch let error as RecordingError {
      throw error
    } catch {
      throw .cannotOpen(source.name, reason: "\(error)")
    }
  }

  deinit {
    if case .file = source.origin { try? file.close() }
    try? wakeUp.readEnd.close()
    try? wakeUp.writeEnd.close()
  }

  /// Reads until the source ends or `stop` is called, and waits for the command to end. Must be called only once.
  func read(into receiver: inout some PCMReceiver) throws(RecordingError) {
    let frameSize = source.encoding.size * source.channelCount
    var bytes = [UInt8](repeating: 0, count: frameSize * Self.blockSize)
    var filled = 0
    while waitForInput() {
      let count = try read(into: &bytes, from: filled)
      if count == 0 {
        try command?.waitForEnd()
        return
      }
      filled += count
      let used = filled / frameSize * frameSize
      let samples = samples(bytes[..<used])
      receiver.append(interleaved: samples.span, channelCount: source.channelCount)
      bytes.replaceSubrange(0..<filled - used, with: Array(bytes[used..<filled]))
      filled -= used
    }
    if let command {
      drain(&bytes)
      command.kill()
    }
  }

  /// Stops `read` and the command without waiting. It can be called from any thread.
  func stop() {
    command?.stop()
    _ = try? wakeUp.writeEnd.writeAll([0])
  }

  /// Waits for audio, the end of the source or `stop`.
  /// - Returns: `false` if reading should stop.
  private func waitForInput() -> Bool {
    while true {
      let ready = FileDescriptor.waitForInput(ofAny: [file, wakeUp.readEnd])
      if !ready.isEmpty { return !ready.contains(1) }
    }
  }

  private func read(into bytes: inout [UInt8], from start: Int) throws(RecordingError) -> Int {
    do {
      return try bytes.withUnsafeMutableBytes {
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
      }
    } catch {
      throw .cannotRead(source.name, reason: "\(error)")
    }
  }

  /// Reads the remaining output of a stopped command, because the command might otherwise block on the full pipe.
  private func drain(_ bytes: inout [UInt8]) {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .milliseconds(Int(Self.stopTimeout)))
    while clock.now < end, file.waitForInput(milliseconds: Self.stopTimeout) {
      guard let count = try? read(into: &bytes, from: 0), count > 0 else { return }
    }
  }

  /// Decodes interleaved samples with full scale at ±1.
  private func samples(_ bytes: ArraySlice<UInt8>) -> [Float] {
    bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / source.encoding.size).map { index in
        switch source.encoding {
        case .s16:
          return Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))) / 32_768
        case .f32:
          let bits = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
          let value = Float(bitPattern: bits)
          return value.isFinite ? min(max(value, -Self.sampleLimit), Self.sampleLimit) : 0
        }
      }
    }
  }
}
