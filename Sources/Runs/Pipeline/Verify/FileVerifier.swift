internal import Analysis
internal import AnalysisEngine
internal import LibraryScan
internal import Platform
internal import ResultStore
internal import SystemPackage

/// Reads one file again, and determines whether its bytes have changed. It blocks the calling thread.
struct FileVerifier: Sendable {
  /// Containers whose encoded audio can be found without FFmpeg, so that the content id does not depend on library
  /// versions.
  private static let steadyContainers: Set<String> = [
    "wav", "rf64", "w64", "aiff", "au", "caf", "flac", "mp3", "ogg",
  ]

  private let supervision: Supervision
  private let request: LibraryVerification.Request
  private let control: RunControl

  init(plan: AnalysisPlan, request: LibraryVerification.Request, control: RunControl) {
    supervision = Supervision(plan: plan, timeLimit: .standard, isolation: request.isolation)
    self.request = request
    self.control = control
  }

  /// - Returns: `nil` if the verification was stopped.
  func verify(_ file: VerifiableFile) throws(WorkerPool.StartFailure) -> VerifiedFile? {
    func result(_ outcome: VerifiedFile.Outcome, byteCount: Int64 = 0) -> VerifiedFile {
      VerifiedFile(file: file, outcome: outcome, byteCount: byteCount)
    }
    do {
      let status = try FileStatus(at: file.path, followingLinks: true)
      guard status.kind == .regular else { return result(.leftToScan) }
    } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
      return result(.missing)
    } catch {
      return result(.unreadable(Self.sentence(error)))
    }
    guard let before = ScannedFile(lookingAt: file.path) else { return result(.missing) }
    let stamp = stamp(of: before)
    if file.isChanged(stamp) { return result(.leftToScan) }
    guard let known = file.known, let checksum = known.checksum else { return try take(file, before) }

    let found: FileChecksum
    do throws(Errno) {
      let read = try FileChecksum.reading(
        file.path, audio: checksum.audio, kinds: request.digests, fromDisk: true, isCancelled: { control.mustAbandon })
      guard let read else { return control.isStopping ? nil : result(.leftToScan) }
      found = read
    } catch .noSuchFileOrDirectory {
      return result(.missing)
    } catch {
      return result(.unreadable(Self.sentence(error)))
    }
    // If the file is being written or was replaced, the change is not silent.
    guard before.presentStatus() == .unchanged else { return result(.leftToScan, byteCount: found.byteCount) }
    if found.whole == checksum.whole { return result(.well(found), byteCount: found.byteCount) }
    let analysis = try open(file, before, decodes: true)
    let hasSameAudio = analysis?.contentID != nil && analysis?.contentID == file.contentID
    let hit = known.hit(in: found) ?? (hasSameAudio ? .tags : .audio)
    let change = SilentChange(
      hit: hit, well: known.well, symptom: analysis.flatMap(symptom), wasWritten: file.wasWritten(stamp))
    // The checksum of the new bytes is kept, in case the user accepts them.
    return result(.changed(analysis?.checksum ?? found, change), byteCount: found.byteCount)
  }

  /// Computes the first checksum of a file, and compares the content id with the known one, unless that depends on
  /// library versions.
  private func take(_ file: VerifiableFile, _ before: ScannedFile) throws(WorkerPool.StartFailure) -> VerifiedFile? {
    guard let analysis = try open(file, before, decodes: false) else { return control.isStopping ? nil : leave(file) }
    guard let found = analysis.checksum else {
      let isTransient = analysis.problem.flatMap { DecodeError.Code(rawValue: $0.code) }?.isTransient ?? false
      guard isTransient, let message = analysis.problem?.message else { return leave(file) }
      return VerifiedFile(file: file, outcome: .unreadable(message))
    }
    let isSteady = file.container.map { Self.steadyContainers.contains($0) } ?? false
    let hasOtherAudio = isSteady && file.contentID != nil && analysis.contentID != file.contentID
    guard hasOtherAudio else { return VerifiedFile(file: file, outcome: .taken(found), byteCount: found.byteCount) }
    let stamp = stamp(of: before)
    let change = SilentChange(
      hit: .audio, well: nil, symptom: symptom(analysis), wasWritten: file.wasWritten(stamp))
    return VerifiedFile(file: file, outcome: .changed(found, change), byteCount: found.byteCount)
  }

  private func leave(_ file: VerifiableFile) -> VerifiedFile { VerifiedFile(file: file, outcome: .leftToScan) }

  private func stamp(of file: ScannedFile) -> FileStamp {
    var stamp = FileStamp(file)
    if request.ignoresStatusChanges { stamp.statusChanged = nil }
    return stamp
  }

  /// Finds the audio and the checksum of the file. Returns `nil` if the analysis did not complete.
  /// - Parameter decodes: `true` to decode the file as well, and compare the result with the file's own checksums.
  private func open(
    _ file: VerifiableFile, _ before: ScannedFile, decodes: Bool
  ) throws(WorkerPool.StartFailure) -> FileAnalysis? {
    let ending = try supervision.analyze(
      before,
      job: { limit in
        var job = AnalysisJob(path: file.path, analyzers: [], timeLimit: limit)
        job.decodesNothing = !decodes
        job.digests = request.digests
        return job
      }, isCancelled: { control.mustAbandon })
    guard case .analyzed(let analysis) = ending else { return nil }
    return analysis
  }

  private func symptom(_ analysis: FileAnalysis) -> String? {
    guard analysis.status != .ok, let problem = analysis.problem else { return nil }
    return "Decoding it now: \(problem.message)"
  }

  private static func sentence(_ error: Errno) -> String { "The system could not read the file: \(error)." }
}
