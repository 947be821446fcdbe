// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "decode-audio",
  dependencies: [.package(name: "nocturne", path: "../..")],
  targets: [
    .executableTarget(
      name: "decode-audio",
      dependencies: [.product(name: "AudioDecoding", package: "nocturne")])
  ]
)
