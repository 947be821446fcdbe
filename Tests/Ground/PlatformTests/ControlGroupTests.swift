import AnalysisTesting
import SystemPackage
import Testing

@testable import Platform

@Suite(.bounded) struct ControlGroupTests {
  @Test(arguments: [
    ("0::/\n", ["/sys/fs/cgroup/memory.max"]),
    (
      "0::/user.slice/a.service\n",
      [
        "/sys/fs/cgroup/user.slice/a.service/memory.max", "/sys/fs/cgroup/user.slice/memory.max",
        "/sys/fs/cgroup/memory.max",
      ]
    ),
    (
      "9:pids:/x\n4:cpu,memory:/docker/a:b\n1:name=systemd:/x\n",
      [
        "/sys/fs/cgroup/memory/docker/a:b/memory.limit_in_bytes", "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
      ]
    ), ("", []), ("junk\n:\n", []),
  ])
  func limitsOfAllGroupsAreRead(listing: String, files: [String]) {
    #expect(ControlGroup.limitFiles(of: listing).map(\.string) == files)
  }
}
