// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "recognize",
  dependencies: [
    .package(name: "nocturne", path: "../.."),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .executableTarget(
      name: "recognize",
      dependencies: [
        .product(name: "Listening", package: "nocturne"), .product(name: "Recognition", package: "nocturne"),
        .product(name: "SystemPackage", package: "swift-system"),
      ])
  ]
)
