// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "analyze-file",
  dependencies: [.package(name: "nocturne", path: "../..")],
  targets: [
    .executableTarget(
      name: "analyze-file",
      dependencies: [.product(name: "AudioAnalysis", package: "nocturne")])
  ]
)
