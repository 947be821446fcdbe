internal import Analysis
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Listening
internal import NIOCore
internal import Platform
internal import Recognition
internal import Serving
internal import SystemPackage

/// The audio of a request. It is stored in an unnamed file, because several uploads at the same time may not fit into
/// memory.
final class UploadedAudio: Sendable {
  private let file: UnnamedFile
  private let type: AudioType
  private let size: Int

  /// Maximum size of an upload in bytes.
  static let maximumSize = 64 << 20
  /// Maximum number of seconds of audio that are matched; the rest is ignored.
  static let maximumDuration = 3600.0
  /// Number of bytes written or read at a time.
  private static let blockSize = 1 << 20

  /// Reads the body of a request.
  /// - Throws: `RequestError`.
  init(_ request: Request, _ services: Services) async throws {
    type = try AudioType(contentType: request.headers[.contentType])
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > Self.maximumSize {
      throw Self.tooLarge
    }
    do {
      file = try UnnamedFile()
    } catch {
      throw Self.noSpace
    }
    let descriptor = file.descriptor
    func write(_ buffer: ByteBuffer) async throws {
      try await services.transferring {
        guard (try? descriptor.writeAll(buffer.readableBytesView)) != nil else { throw Self.noSpace }
      }
    }
    var block = ByteBuffer()
    var size = 0
    for try await part in request.body {
      size += part.readableBytes
      guard size <= Self.maximumSize else { throw Self.tooLarge }
      block.writeImmutableBuffer(part)
      if block.readableBytes >= Self.blockSize {
        try await write(block)
        block.clear()
      }
    }
    guard size > 0 else { throw RequestError(.badRequest, "The body is empty; it should be audio.") }
    try await write(block)
    self.size = size
  }

  private static let tooLarge = RequestError(
    .contentTooLarge,
    "The audio is larger than \(maximumSize >> 20) MiB. About ten seconds are enough to recognize a track.")
  private static let noSpace = RequestError(
    HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
    "The server has no room for the audio. Is the disk of its TMPDIR full?")

  /// Returns the recordings in the audio. Blocks while the audio is decoded and matched.
  /// - Parameter decoder: The command line of a `DecodingWorker`, without its limits.
  /// - Throws: `RequestError` if the audio cannot be decoded or is too short.
  func heard(_ session: RecognitionSession, decoder: [String]) throws -> RecognizedRecording {
    do {
      var matcher = try RecordingMatcher(session, sampleRate: sampleRate)
      try read(into: &matcher, decoder)
      return try matcher.finish()
    } catch let error as DecodeError {
      let isForeign = error.code == .unknownFormat || error.code == .unsupportedCodec
      throw RequestError(isForeign ? .unsupportedMediaType : .unprocessableContent, error.message)
    } catch let error as CatalogError {
      guard case .queryTooShort = error else { throw error }
      throw RequestError(.unprocessableContent, "For recognition, \(error).")
    }
  }

  private var sampleRate: Int {
    switch type {
    case .pcm(let format): format.sampleRate
    case .encoded: DecodingWorker.sampleRate
    }
  }

  /// Returns the number of bytes that are matched of this many bytes of PCM.
  static func matchedByteCount(of size: Int, _ format: PCMFormat) -> Int {
    min(size, Int(maximumDuration * Double(format.sampleRate)) * format.frameSize)
  }

  private func read(into matcher: inout RecordingMatcher, _ decoder: [String]) throws {
    try file.descriptor.seek(offset: 0, from: .start)
    switch type {
    case .encoded:
      let words = decoder + ["--audio-limit", "\(Self.maximumDuration)"]
      let process = try DecodingProcess(words, input: file.descriptor)
      try process.read(into: &matcher)
    case .pcm(let format):
      var left = Self.matchedByteCount(of: size, format)
      var offset: Int64 = 0
      while left > 0 {
        // Reads whole frames only, so that none is split.
        let wanted = min(left, Self.blockSize / format.frameSize * format.frameSize)
        var block = ByteBuffer()
        let count = try block.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { buffer in
          try file.descriptor.read(
            fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        }
        if count == 0 { break }
        matcher.append(format.mono(block.readableBytesView).span)
        left -= count
        offset += Int64(count / format.frameSize * format.frameSize)
        if count < format.frameSize { break }
      }
    }
  }
}
