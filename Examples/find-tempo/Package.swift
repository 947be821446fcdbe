// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "find-tempo",
  dependencies: [.package(name: "nocturne", path: "../..")],
  targets: [
    .executableTarget(
      name: "find-tempo",
      dependencies: [
        .product(name: "AudioDecoding", package: "nocturne"), .product(name: "Tempo", package: "nocturne"),
      ])
  ]
)
