internal import Glibc

/// The short-time Fourier transform of a signal that arrives in blocks.
///
/// Column `c` is centered on frame `c * hop` and weighted with a periodic Hann window. Frames before the start and
/// after the end of the signal count as zero. There is a column for every frame of the signal whose number is a
/// multiple of `hop`. Columns do not depend on how the signal is divided into blocks.
public struct STFT {
  public let windowLength: Int
  public let hop: Int
  public var binCount: Int { windowLength / 2 + 1 }
  /// Number of columns produced so far.
  public private(set) var columnCount: Int64 = 0

  private let window: [Float]
  private let fft: RealFFT
  /// Frames `bufferStart ..< bufferStart + buffered` of the signal. Frame numbers are shifted by half a window, so the
  /// window of column `c` starts at `c * hop`.
  private var buffer: [Float]
  private var bufferStart: Int64 = 0
  private var buffered: Int
  private var column: [Float]

  /// - Parameters:
  ///   - windowLength: Number of frames in the window and in the transform. It must be even.
  ///   - hop: Number of frames from one column to the next.
  public init(windowLength: Int, hop: Int) {
    precondition(hop > 0)
    self.windowLength = windowLength
    self.hop = hop
    window = hannWindow(length: windowLength)
    fft = RealFFT(length: windowLength)
    buffer = [Float](repeating: 0, count: max(4 * windowLength, 8192))
    buffered = windowLength / 2
    column = [Float](repeating: 0, count: windowLength / 2 + 1)
  }

  /// Adds the next frames and passes every completed column to `each`.
  ///
  /// - Parameter each: Receives the power |X[k]|² of `binCount` bins and the column number.
  public mutating func push<E: Error>(
    _ frames: Span<Float>, each: (Span<Float>, Int64) throws(E) -> Void
  ) throws(E) {
    var taken = 0
    while taken < frames.count {
      let count = min(frames.count - taken, buffer.count - buffered)
      do {
        let source = frames.extracting(taken..<taken + count)
        let offset = buffered
        var target = buffer.mutableSpan
        for index in 0..<count { target[offset + index] = source[index] }
      }
      buffered += count
      taken += count
      try drain(each)
    }
  }

  /// Passes the columns that reach beyond the end of the signal to `each`. Afterwards, the next signal may begin.
  public mutating func finish<E: Error>(each: (Span<Float>, Int64) throws(E) -> Void) throws(E) {
    let frameCount = bufferStart + Int64(buffered - windowLength / 2)
    let total = (frameCount + Int64(hop) - 1) / Int64(hop)
    let zeros = [Float](repeating: 0, count: windowLength)
    while columnCount < total {
      let missing = columnCount * Int64(hop) + Int64(windowLength) - bufferStart - Int64(buffered)
      let count = min(max(Int(missing), 1), windowLength)
      try push(zeros.span.extracting(0..<count), each: each)
    }
    columnCount = 0
    bufferStart = 0
    buffered = windowLength / 2
    for index in 0..<buffered { buffer[index] = 0 }
  }

  private mutating func drain<E: Error>(_ each: (Span<Float>, Int64) throws(E) -> Void) throws(E) {
    while true {
      let start = Int(columnCount * Int64(hop) - bufferStart)
      guard start + windowLength <= buffered else { break }
      fft.power(of: buffer, from: start, window: window, into: &column)
      try each(column.span, columnCount)
      columnCount += 1
    }
    // When the buffer is full, frames before the next window are discarded. If `hop` exceeds the window length, that
    // may be more than are in the buffer.
    let done = min(Int(columnCount * Int64(hop) - bufferStart), buffered)
    guard done > 0, buffered == buffer.count else { return }
    buffered -= done
    for index in 0..<buffered { buffer[index] = buffer[done + index] }
    bufferStart += Int64(done)
  }
}

/// Returns the periodic Hann window, sin²(π·n / length). Two copies of it that are half its length apart add up to one.
public func hannWindow(length: Int) -> [Float] {
  (0..<length).map { Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(length))) }
}
