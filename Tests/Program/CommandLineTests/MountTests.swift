import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// File systems mounted in a library, where a test may have some of its own.
@Suite(.bounded, .enabled(if: SmallDisk.isPossible)) struct MountTests {
  /// Runs a script that may mount. `$0` is the program, `$lib` the library, and `run` analyzes it.
  private func script(_ text: String, in place: Workplace) throws -> Outcome {
    let head = """
      lib="\(place.library)"
      run() { "$0" "$lib" --database "\(place.database)" --pipeline tags-only -v "$@" 2>&1; echo "status $?"; }

      """
    return try RunningProgram(
      ["-rm", "sh", "-c", Argument(stringLiteral: head + text), Argument(RunningProgram.executable)],
      of: "/usr/bin/unshare", environment: place.environment, workingFolder: place.folder.path
    ).end()
  }

  private func place() throws -> Workplace {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "album/a.wav")
    try place.makeFolder(place.library.appending("usb"))
    try place.makeFolder(place.library.appending("zbind"))
    return place
  }

  @Test func filesOfADiskThatIsNotMountedAreKept() throws {
    let place = try place()
    let outcome = try script(
      """
      mount -t tmpfs none "$lib/usb"; cp "$lib/album/a.wav" "$lib/usb/b.wav"
      run
      umount "$lib/usb"
      run
      mount -t tmpfs none "$lib/usb"; cp "$lib/album/a.wav" "$lib/usb/c.wav"
      run
      """, in: place)
    let parts = outcome.text.split(separator: "status ").map(String.init)
    try #require(parts.count == 4, "\(outcome.text)")
    #expect(parts[0].contains("analyzed  2") && parts[1].hasPrefix("0"))
    #expect(parts[1].contains("usb is empty, but 1 known file was on a disk there") && parts[2].hasPrefix("1"))
    #expect(!parts[1].contains("vanished"))
    // With something in it, it is a folder from which a file was removed.
    #expect(parts[2].contains("vanished  1") && parts[3].hasPrefix("0"), "\(outcome.text)")
  }

  @Test func foldersMountedTwiceCountOnce() throws {
    let place = try place()
    let outcome = try script(
      """
      mount --bind "$lib/album" "$lib/zbind"
      run
      """, in: place)
    #expect(outcome.text.contains("analyzed  1") && outcome.text.contains("skipped   1"), "\(outcome.text)")
    #expect(outcome.text.contains("status 0"))
  }

  /// A chroot or container may have no `/proc`.
  @Test func argumentsDoNotComeFromProc() throws {
    let outcome = try script(
      """
      mount -t tmpfs none /proc
      "$0" --version 2>&1; echo "status $?"
      "$0" search --bpm 'fast é' 2>&1; echo "status $?"
      """, in: try place())
    let parts = outcome.text.split(separator: "status ").map(String.init)
    try #require(parts.count == 3, "\(outcome.text)")
    #expect(parts[0].wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    #expect(parts[1].hasPrefix("0\nanalyze: --bpm: 'fast é'") && parts[2] == "64\n", "\(outcome.text)")
  }

  @Test func oneFileSystemOnRequest() throws {
    let place = try place()
    let outcome = try script(
      """
      mount -t tmpfs none "$lib/usb"; cp "$lib/album/a.wav" "$lib/usb/b.wav"
      run
      run -x
      """, in: place)
    let parts = outcome.text.split(separator: "status ").map(String.init)
    try #require(parts.count == 3, "\(outcome.text)")
    // A file that is left out has not vanished.
    #expect(parts[1].contains("cached    1") && parts[1].contains("skipped   1") && !parts[1].contains("vanished"))
  }
}
