internal import CFFTW
internal import CKernels
internal import Synchronization

/// Discrete Fourier transforms of real signals of one length, in single precision.
///
/// Uses FFTW 3 (Frigo and Johnson 2005). Plans are estimated instead of measured. With measured plans, the last bits of
/// every result would depend on what else the machine was doing.
///
/// An instance owns its workspace, so use it for one call at a time.
public final class RealFFT {
  /// Plans by length. FFTW's planner is not thread-safe, but plans can be executed concurrently on all arrays with the
  /// same alignment. Plans are kept, because planning takes longer than executing, and few lengths are ever used.
  private static let plans = Mutex(Plans())

  private struct Plans: @unchecked Sendable {
    var forward: [Int: fftwf_plan] = [:]
    var backward: [Int: fftwf_plan] = [:]
  }

  /// Number of frames per transform.
  public let length: Int
  /// Number of bins from 0 to the Nyquist frequency.
  public var binCount: Int { length / 2 + 1 }

  private let frames: UnsafeMutableBufferPointer<Float>
  /// The spectrum, with alternating real and imaginary parts. (FFTW's transforms to separate arrays take twice as
  /// long.)
  private let spectrum: UnsafeMutableBufferPointer<Float>
  private let forward: fftwf_plan
  /// The plan for the inverse transform, created on first use.
  private var backward: fftwf_plan?

  /// - Parameter length: An even number, at least 2. Products of small primes are fast.
  public init(length: Int) {
    precondition(length >= 2 && length.isMultiple(of: 2) && length <= 1 << 28, "length must be even and positive")
    self.length = length
    let frames = unsafe Self.allocate(length)
    let spectrum = unsafe Self.allocate(2 * (length / 2 + 1))
    let bins = unsafe Self.complex(spectrum)
    let plan = Self.plans.withLock { plans in
      if let known = unsafe plans.forward[length] { return unsafe Kept(plan: known) }
      let plan = unsafe fftwf_plan_dft_r2c_1d(Int32(length), frames.baseAddress, bins, FFTW_ESTIMATE)
      unsafe plans.forward[length] = plan
      return unsafe Kept(plan: plan)
    }.plan
    guard let plan = unsafe plan else { preconditionFailure("FFTW has no plan for \(length) frames") }
    unsafe (self.frames, self.spectrum, forward) = (frames, spectrum, plan)
  }

  /// Carries a plan out of the lock.
  private struct Kept: @unchecked Sendable {
    let plan: fftwf_plan?
  }

  deinit {
    unsafe fftwf_free(frames.baseAddress)
    unsafe fftwf_free(spectrum.baseAddress)
  }

  private static func complex(_ spectrum: UnsafeMutableBufferPointer<Float>) -> UnsafeMutablePointer<fftwf_complex>? {
    unsafe UnsafeMutableRawPointer(spectrum.baseAddress)?.assumingMemoryBound(to: fftwf_complex.self)
  }

  private var complexBins: UnsafeMutablePointer<fftwf_complex>? { unsafe Self.complex(spectrum) }

  private func transformFrames() { unsafe fftwf_execute_dft_r2c(forward, frames.baseAddress, complexBins) }

  /// Allocates with FFTW's allocator, which aligns memory for the machine's widest vectors.
  private static func allocate(_ count: Int) -> UnsafeMutableBufferPointer<Float> {
    guard let base = unsafe fftwf_alloc_real(count) else { fatalError("out of memory: \(count) floats") }
    let buffer = unsafe UnsafeMutableBufferPointer(start: base, count: count)
    unsafe buffer.initialize(repeating: 0)
    return unsafe buffer
  }

  /// Computes X[k] = Σ x[n]·exp(−2πi·k·n / length).
  ///
  /// - Parameters:
  ///   - signal: At most `length` values, which are padded with zeros.
  ///   - body: Receives `binCount` bins, with alternating real and imaginary parts.
  public func transform<R>(_ signal: Span<Float>, _ body: (Span<Float>) throws -> R) rethrows -> R {
    precondition(signal.count <= length)
    var input = unsafe frames.mutableSpan
    for index in 0..<signal.count { input[index] = signal[index] }
    for index in signal.count..<length { input[index] = 0 }
    transformFrames()
    return try unsafe body(spectrum.span)
  }

  /// Computes the power |X[k]|² of the transform of `signal[start ..< start + length]` times `window`.
  ///
  /// - Parameters:
  ///   - window: `length` values.
  ///   - power: Receives `binCount` values.
  public func power(of signal: [Float], from start: Int, window: [Float], into power: inout [Float]) {
    precondition(window.count == length && power.count == binCount)
    let input = unsafe frames.baseAddress!
    signal.withUnsafeBufferPointer { signal in
      window.withUnsafeBufferPointer { window in
        unsafe cspectra_weigh(
          UnsafeBufferPointer(rebasing: signal[start..<start + length]).baseAddress, window.baseAddress, length, input)
      }
    }
    transformFrames()
    power.withUnsafeMutableBufferPointer { power in
      unsafe cspectra_powers(spectrum.baseAddress, power.count, power.baseAddress)
    }
  }

  /// Computes x[n] = Σ over k of X[k]·exp(2πi·k·n / length), where X[length − k] is the conjugate of X[k]. The result
  /// is `length` times the signal whose transform is X.
  ///
  /// - Parameters:
  ///   - bins: `binCount` bins, with alternating real and imaginary parts.
  ///   - body: Receives `length` values.
  public func invert<R>(_ bins: Span<Float>, _ body: (Span<Float>) throws -> R) rethrows -> R {
    precondition(bins.count == 2 * binCount)
    // Planning with FFTW_ESTIMATE leaves the arrays unchanged, so it may come before or after they are filled.
    let plan = unsafe backward ?? makeBackward()
    var input = unsafe spectrum.mutableSpan
    for index in 0..<bins.count { input[index] = bins[index] }
    unsafe fftwf_execute_dft_c2r(plan, complexBins, frames.baseAddress)
    return try unsafe body(frames.span)
  }

  private func makeBackward() -> fftwf_plan {
    let plan = Self.plans.withLock { plans in
      if let known = unsafe plans.backward[length] { return unsafe Kept(plan: known) }
      let plan = unsafe fftwf_plan_dft_c2r_1d(Int32(length), complexBins, frames.baseAddress, FFTW_ESTIMATE)
      unsafe plans.backward[length] = plan
      return unsafe Kept(plan: plan)
    }.plan
    guard let plan = unsafe plan else { preconditionFailure("FFTW has no inverse plan for \(length) frames") }
    unsafe backward = plan
    return unsafe plan
  }
}
