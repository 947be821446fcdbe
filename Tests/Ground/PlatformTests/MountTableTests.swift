import AnalysisTesting
import Platform
import SystemPackage
import Testing

@Suite(.bounded) struct MountTableTests {
  private let table = MountTable(
    lines: Array(
      """
      22 1 8:1 / / rw - ext4 /dev/sda1 rw
      30 22 0:40 / /mnt/my\\040disk rw shared:1 - nfs4 server:/x rw
      31 30 8:2 / /mnt/my\\040disk/\\134b rw - xfs /dev/sdb rw
      broken line
      """.utf8))

  @Test func linesAreRead() {
    #expect(table.mounts.map(\.mountPoint) == ["/", "/mnt/my disk", "/mnt/my disk/\\b"])
    #expect(table.mount(of: "/mnt/my disk/a")?.type == "nfs4")
    #expect(table.mount(of: "/mnt/my disk/\\b/c")?.type == "xfs")
    #expect(table.mount(of: "/mnt")?.type == "ext4")
    #expect(table.mounts(below: ["/"]).count == 3)
  }

  @Test func networkDrivesAreKnown() {
    #expect(table.mounts.map(\.isOnServer) == [false, true, false])
  }

  @Test func devicesAreThoseOfFiles() throws {
    let root = try FileStatus(at: "/proc", followingLinks: true)
    #expect(MountTable().mounts.contains { $0.mountPoint == "/proc" && $0.device == root.key.device })
  }
}
