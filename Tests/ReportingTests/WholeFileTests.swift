import AnalysisTesting
import Foundation
import Glibc
import Reporting
import SystemPackage
import Testing

@Suite struct WholeFileTests {
  /// What a process has left that was killed while it wrote is removed by the next one; of one that is at work it is not.
  @Test func leftoversOfTheDeadAreRemoved() throws {
    let folder = try TemporaryDirectory()
    // A process that has ended and was waited for: its number is free.
    let process = Process()
    process.executableURL = URL(filePath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    let dead = ".report.json.\(process.processIdentifier).partial"
    let alive = ".report.json.\(getppid()).partial"
    let other = ".report.csv.\(process.processIdentifier).partial"
    for name in [dead, alive, other] { try folder.write([1], as: name) }
    try WholeFile.write(Array("{}".utf8), to: folder.file("report.json"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path.string).sorted()
    #expect(names == [other, alive, "report.json"].sorted())
  }
}
