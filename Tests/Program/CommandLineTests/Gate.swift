import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// A library of three files, and a pipeline that stops at `b.wav` until `open()` is called.
struct Gate {
  let place: Workplace
  let pipeline: Argument

  init() throws {
    place = try Workplace()
    for (number, name) in ["a", "b", "c"].enumerated() {
      try place.put(Audio.wav(UInt64(number + 1)), as: "\(name).wav")
    }
    let folder = place.folder.path
    pipeline = try place.makePipeline(
      script: """
        case "$1" in *b.wav) touch "\(folder)/reached"; while [ ! -e "\(folder)/gate" ]; do sleep 0.02; done;; esac; echo {}
        """)
  }

  func waitUntilReached() {
    #expect(waitUntil { FileManager.default.fileExists(atPath: place.folder.file("reached").string) })
  }

  func open() throws { try place.write("", to: place.folder.file("gate")) }
}
