// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is compiled in Swift 6 mode with warnings as errors.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// With async functions. The optimizer of Swift 6.3 crashes over some that the thread sanitizer instruments (Scripts/sanitize).
let strictAsync =
  Context.environment["NOCTURNE_SANITIZER"] == "thread" ? strict + [.unsafeFlags(["-Onone"])] : strict

/// With NIO, the compiler takes glibc's structures for members of Dispatch, and asks for an import of what cannot be imported.
let strictWithNIO: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// An object file that takes the place of all data of ICU (Scripts/trim-icu). Linked as an input, it comes before Foundation.
let icuData: [LinkerSetting] = Context.environment["NOCTURNE_ICU_DATA"].map { [.unsafeFlags([$0])] } ?? []

/// A C library that Debian ships with a pkg-config file.
func systemLibrary(_ name: String, pkgConfig: String, debian: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

func swiftTarget(_ name: String, _ dependencies: [Target.Dependency], excluding excluded: [String] = []) -> Target {
  .target(name: name, dependencies: dependencies, exclude: excluded, swiftSettings: strict)
}

/// - Parameter excluded: What is no source in its folder, such as `Snapshots`.
func testTarget(_ name: String, _ dependencies: [Target.Dependency], excluding excluded: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: excluded, swiftSettings: strict)
}

func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Examples/\(name)/Sources/\(name)",
    swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
}

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "nocturne",
  products: [
    .executable(name: "analyze", targets: ["analyze"]),
    // Which recording a clip is from: no decoders. Listening adds files and recording.
    .library(name: "Recognition", targets: ["Recognition"]), .library(name: "Listening", targets: ["Listening"]),
    // The analyzers on a file or on PCM; decoding alone; tempo and beats alone.
    .library(name: "AudioAnalysis", targets: ["AudioAnalysis"]),
    .library(name: "AudioDecoding", targets: ["AudioDecoding"]), .library(name: "Tempo", targets: ["Tempo"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // C libraries.
    systemLibrary("CFFTW", pkgConfig: "fftw3f", debian: "libfftw3-dev"),
    systemLibrary("CSamplerate", pkgConfig: "samplerate", debian: "libsamplerate0-dev"),
    systemLibrary("CSoxr", pkgConfig: "soxr", debian: "libsoxr-dev"),
    systemLibrary("CXXHash", pkgConfig: "libxxhash", debian: "libxxhash-dev"),
    systemLibrary("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),
    systemLibrary("CEBUR128", pkgConfig: "libebur128", debian: "libebur128-dev"),
    // FFmpeg's macros and what glibc does not show to Swift, behind plain C headers.
    .target(name: "CLibAV", dependencies: ["CLoading"]), .target(name: "CChromaprint", dependencies: ["CLoading"]),
    .target(name: "CSndfile", dependencies: ["CLoading"]), .target(name: "CLoading"),
    .target(name: "CKernels"), .target(name: "CSpawn"),
    // Files compiled in; written by Scripts/write-resources.
    .target(name: "CResources"),

    // Swift, from the vocabulary up; the arrows in docs/architecture.md are these lists.
    swiftTarget("DSP", ["CFFTW", "CKernels", "CSamplerate", "CSoxr"]),
    swiftTarget("Platform", ["CSpawn", systemPackage]),
    swiftTarget("Text", []),
    swiftTarget("Resources", ["CResources"]),
    swiftTarget("Analysis", ["CXXHash", "Platform", "Text", systemPackage]),
    swiftTarget("Records", ["Analysis", "Platform", "Text", systemPackage]),
    swiftTarget("Objects", ["Platform", systemPackage]),
    swiftTarget("Library", ["Analysis", "Platform", "Records", "Text", systemPackage]),
    swiftTarget(
      "Exports",
      [
        "Analysis", "CZlib", "Filters", "Library", "MediaContainers", "Platform", "Records", "Text", grdb,
        systemPackage,
      ]),
    swiftTarget("Digests", ["CLibAV"]),
    swiftTarget("MediaContainers", [systemPackage]),
    swiftTarget(
      "AudioDecoding",
      ["Analysis", "CLibAV", "CLoading", "CSamplerate", "CSndfile", "CSoxr", "DSP", "MediaContainers", systemPackage]),
    swiftTarget(
      "AudioEncoding", ["Analysis", "AudioDecoding", "CLibAV", "CSndfile", "DSP", "Platform", systemPackage]),
    swiftTarget("TagReading", ["Analysis", "CZlib", "MediaContainers", systemPackage]),
    swiftTarget(
      "TagWriting", ["Analysis", "AudioDecoding", "MediaContainers", "Platform", "TagReading", systemPackage]),
    swiftTarget("Likeness", ["Analysis", "DSP", "Resources"], excluding: ["Resources"]),
    swiftTarget("Tempo", ["Analysis", "CKernels", "DSP", "Resources"], excluding: ["Resources"]),
    swiftTarget("Chromaprint", ["Analysis", "CChromaprint"]),
    swiftTarget("Landmarks", ["Analysis"]),
    swiftTarget("Duplicates", ["Chromaprint", "Landmarks"]),
    swiftTarget(
      "Recognition",
      [
        "Analysis", "CKernels", "DSP", "Landmarks", "Platform", "Resources", "Text", systemPackage,
      ], excluding: ["Resources"]),
    swiftTarget(
      "Listening",
      ["Analysis", "AudioDecoding", "DSP", "Landmarks", "Recognition", "Platform", systemPackage]),
    swiftTarget("LibraryScan", ["Platform", systemPackage]),
    swiftTarget("Filters", ["Analysis", "Text", systemPackage]),
    swiftTarget(
      "ResultStore",
      [
        "Analysis", "DSP", "Library", "Records", "Platform", "Text", systemPackage, grdb,
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    swiftTarget(
      "LibraryStore",
      ["Analysis", "Filters", "Library", "Platform", "Records", "ResultStore", "Text", systemPackage, grdb]),
    swiftTarget(
      "Reporting",
      [
        "Analysis", "Library", "Records", "Resources", "Platform", "Text", systemPackage,
        .product(name: "Mustache", package: "swift-mustache"),
      ]),
    swiftTarget(
      "BuiltInAnalyzers",
      [
        "Analysis", "CKernels", "Chromaprint", "DSP", "Landmarks", "Likeness", "Resources", "TagReading", "Tempo",
        "Text",
      ], excluding: ["Key/Resources"]),
    swiftTarget("AnalysisEngine", ["Analysis", "AudioDecoding", "DSP", "Digests", "Platform", systemPackage]),
    .target(
      name: "Pipeline",
      dependencies: [
        "Analysis", "AnalysisEngine", "AudioDecoding", "DSP", "Digests", "LibraryScan", "Objects", "Records",
        "ResultStore", "Platform", "Text", "Yams", systemPackage,
      ],
      // Jobs for engines, which are no definitions.
      exclude: ["BuiltInDefinitions/redis", "BuiltInDefinitions/spark"],
      // A link to pipelines/. Embedded, since a bundle is not found once the executable is moved.
      resources: [.embedInCode("BuiltInDefinitions")], swiftSettings: strict),
    // The analyzers without store and command line, for other programs.
    swiftTarget(
      "AudioAnalysis", ["Analysis", "AnalysisEngine", "AudioDecoding", "BuiltInAnalyzers", "DSP", systemPackage]),
    swiftTarget(
      "AnalysisTasks",
      [
        "Analysis", "AudioDecoding", "BuiltInAnalyzers", "Exports", "LibraryScan", "LibraryStore", "LibraryTasks",
        "Likeness", "Pipeline", "Platform", "Recognition", "Records", "Reporting", "ResultStore", "Text", systemPackage,
      ]),
    swiftTarget(
      "LibraryTasks",
      [
        "Analysis", "AnalysisEngine", "AudioDecoding", "AudioEncoding", "BuiltInAnalyzers", "CLibAV", "Chromaprint",
        "DSP", "Duplicates", "Exports", "Filters", "Landmarks", "Library", "LibraryScan", "LibraryStore", "Likeness",
        "Pipeline", "Platform", "Records", "Reporting", "ResultStore", "TagWriting", "Text", systemPackage,
      ]),
    swiftTarget(
      "RecognitionTasks",
      [
        "Analysis", "AnalysisEngine", "AudioDecoding", "AudioEncoding", "DSP", "Landmarks", "Library", "Listening",
        "Pipeline", "Platform", "Recognition", "Records", "RemoteCatalogs", "Reporting", "ResultStore", "Text",
        systemPackage,
      ]),
    // The program of this name: the same binary under another one.
    swiftTarget(
      "Fpcalc", ["Analysis", "AudioDecoding", "Chromaprint", "Platform", "ResultStore", systemPackage]),
    // Catalogs of other servers, asked over HTTP.
    .target(
      name: "RemoteCatalogs",
      dependencies: [
        "Platform", "Recognition", "Text", systemPackage, .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ], swiftSettings: strictWithNIO),
    .target(
      name: "Serving",
      dependencies: [
        "Analysis", "CZlib", "Digests", "Platform", "Records", "Text", systemPackage,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ], swiftSettings: strictWithNIO),
    // The catalogs over HTTP, and the app.
    .target(
      name: "Server",
      dependencies: [
        "Analysis", "AnalysisEngine", "AnalysisTasks", "Chromaprint", "Filters", "Library", "LibraryStore",
        "LibraryTasks", "Listening", "Pipeline", "Platform", "Recognition", "RecognitionTasks", "Records", "Reporting",
        "Resources", "ResultStore", "Serving", "Text", systemPackage,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], swiftSettings: strictWithNIO),
    .executableTarget(
      name: "analyze",
      dependencies: [
        "Analysis", "AnalysisEngine", "AnalysisTasks", "AudioDecoding", "AudioEncoding", "BuiltInAnalyzers", "Exports",
        "Filters", "Fpcalc", "Landmarks", "Library", "LibraryScan", "LibraryStore", "LibraryTasks", "Listening",
        "Objects", "Pipeline", "Platform", "Recognition", "RecognitionTasks", "Records", "Reporting", "ResultStore",
        "Server", "Serving", "TagWriting", "Text", systemPackage,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: strictAsync, linkerSettings: icuData),
    // The sources of the packages in Examples/, so that the tests build and run them.
    .executableTarget(
      name: "recognize", dependencies: ["Listening", "Recognition", systemPackage],
      path: "Examples/recognize/Sources/recognize", swiftSettings: strictAsync),
    .executableTarget(
      name: "recognize-pcm", dependencies: ["Recognition", systemPackage],
      path: "Examples/recognize-pcm/Sources/recognize-pcm", swiftSettings: strictAsync),
    // Times searches for Benchmarks/search.
    .executableTarget(
      name: "time-searches", dependencies: ["Filters", "LibraryStore", "ResultStore", systemPackage],
      path: "Benchmarks/search/time-searches", swiftSettings: strict),
    // Compares sounds for Benchmarks/duplicates.
    .executableTarget(
      name: "compare-sounds",
      dependencies: [
        "BuiltInAnalyzers", "Chromaprint", "Duplicates", "Landmarks", "LibraryStore", "LibraryTasks", "Platform", "Records",
        "ResultStore", systemPackage,
      ], path: "Benchmarks/duplicates/compare-sounds", swiftSettings: strict),
    example("analyze-file", ["AudioAnalysis"]), example("decode-audio", ["AudioDecoding"]),
    example("find-tempo", ["AudioDecoding", "Tempo"]),

    // Tests.
    swiftTarget("AnalysisTesting", ["Analysis", "DSP", "Text", systemPackage]),
    swiftTarget(
      "LibraryTesting",
      [
        "Analysis", "AnalysisTesting", "DSP", "LibraryStore", "Platform", "Records", "ResultStore", "Text", grdb,
        systemPackage,
      ]),
    testTarget("AnalysisTests", ["Analysis"]),
    testTarget("TextTests", ["Text"]),
    testTarget("LibraryTests", ["Analysis", "Library", "Platform", systemPackage]),
    testTarget("DSPTests", ["AnalysisTesting", "DSP"]),
    testTarget("PlatformTests", ["AnalysisTesting", "Platform", systemPackage]),
    testTarget("ObjectsTests", ["AnalysisTesting", "Objects", "Platform", systemPackage]),
    testTarget("MediaContainersTests", ["AnalysisTesting", "MediaContainers", systemPackage]),
    testTarget(
      "AudioDecodingTests",
      [
        "Analysis", "AnalysisTesting", "AudioDecoding", "CLibAV", "CSndfile", "MediaContainers", systemPackage,
      ]),
    testTarget(
      "AudioEncodingTests", ["AnalysisTesting", "AudioDecoding", "AudioEncoding", "Tempo", systemPackage]),
    testTarget(
      "ChromaprintTests", ["Analysis", "AnalysisTesting", "AudioDecoding", "Chromaprint", systemPackage]),
    testTarget("DuplicatesTests", ["AnalysisTesting", "Chromaprint", "Duplicates", "Landmarks"]),
    testTarget("FpcalcTests", ["Analysis", "AnalysisTesting", "AudioDecoding", "Fpcalc", systemPackage]),
    testTarget(
      "RecognitionTests",
      [
        "Analysis", "AnalysisTesting", "CKernels", "DSP", "Landmarks", "Listening", "Recognition", "Text", systemPackage,
      ]),
    testTarget("AnalyzerContractTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "Records", "Text"]),
    testTarget("DigestsTests", ["Digests"]),
    testTarget("LibraryScanTests", ["AnalysisTesting", "LibraryScan", "Platform", systemPackage]),
    testTarget(
      "TagReadingTests",
      ["Analysis", "AnalysisTesting", "AudioDecoding", "MediaContainers", "TagReading", "Text", systemPackage]),
    testTarget(
      "TagWritingTests",
      [
        "Analysis", "AnalysisTesting", "AudioDecoding", "MediaContainers", "Platform", "TagReading", "TagWriting",
        systemPackage,
      ]),
    testTarget("FiltersTests", ["Analysis", "Filters", systemPackage]),
    testTarget(
      "ResultStoreTests",
      [
        "Analysis", "DSP", "Library", "LibraryStore", "LibraryTesting", "Records", "ResultStore", "Platform", "Text",
        systemPackage, grdb,
      ]),
    testTarget(
      "LibraryStoreTests",
      [
        "Analysis", "Filters", "Library", "LibraryStore", "LibraryTesting", "Platform", "Records", "ResultStore",
        systemPackage, grdb,
      ]),
    testTarget("LoudnessTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "CEBUR128", "DSP", systemPackage]),
    testTarget("CuesTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers"]),
    testTarget("HealthTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "DSP", systemPackage]),
    testTarget("WaveformTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "DSP"]),
    testTarget("KeyTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "DSP", systemPackage]),
    testTarget("TraitsTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "DSP"]),
    testTarget("SectionsTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "DSP", systemPackage]),
    testTarget("LikenessTests", ["Analysis", "AnalysisTesting", "DSP", "Likeness", systemPackage]),
    testTarget("TempoTests", ["Analysis", "AnalysisTesting", "DSP", "Tempo", systemPackage]),
    testTarget(
      "ReportingTests",
      [
        "Analysis", "AnalysisTesting", "BuiltInAnalyzers", "LibraryTesting", "Records", "Reporting", "ResultStore",
        "Platform", "Text", systemPackage,
      ], excluding: ["Snapshots"]),
    testTarget(
      "ExportsTests",
      [
        "Analysis", "AnalysisTesting", "BuiltInAnalyzers", "CZlib", "Exports", "Filters", "Library", "LibraryStore",
        "LibraryTesting", "MediaContainers", "Platform", "Records", "ResultStore", "Text", grdb, systemPackage,
      ], excluding: ["Snapshots"]),
    testTarget(
      "AnalysisEngineTests",
      ["Analysis", "AnalysisEngine", "AnalysisTesting", "AudioDecoding", "DSP", "Text", systemPackage]),
    testTarget("AudioAnalysisTests", ["AnalysisTesting", "AudioAnalysis", "Tempo"]),
    testTarget(
      "TaskTests",
      [
        "Analysis", "AnalysisEngine", "AnalysisTasks", "AnalysisTesting", "AudioDecoding", "AudioEncoding",
        "BuiltInAnalyzers", "CLibAV", "Exports", "Filters", "Landmarks", "Library", "LibraryScan", "LibraryStore", "LibraryTasks",
        "LibraryTesting", "Objects", "Pipeline", "Platform", "Recognition", "RecognitionTasks", "Records", "Reporting",
        "ResultStore", "Text", systemPackage,
      ], excluding: ["Library/Snapshots"]),
    testTarget(
      "PipelineTests",
      [
        "Analysis", "AnalysisEngine", "AnalysisTesting", "AudioDecoding", "DSP", "LibraryScan", "Pipeline", "Records",
        "ResultStore", "Platform", "Text", systemPackage,
      ]),
    .testTarget(
      name: "ServingTests",
      dependencies: [
        "Platform", "Serving", systemPackage, .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
      ], swiftSettings: strictWithNIO),
    .testTarget(
      name: "ServerTests",
      dependencies: [
        "Analysis", "AnalysisTesting", "BuiltInAnalyzers", "Landmarks", "LibraryStore", "LibraryTesting", "Platform",
        "RecognitionTasks", "Records", "ResultStore", "Server", "Serving", "Text", grdb, systemPackage,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ], exclude: ["Snapshots"], swiftSettings: strictWithNIO),
    testTarget(
      "CommandLineTests",
      [
        "Analysis", "AnalysisTesting", "AudioDecoding", "Platform", "Text", "analyze", "analyze-file", "decode-audio",
        "find-tempo", "recognize", "recognize-pcm", systemPackage,
      ]),
  ]
)

// What computes, for `make test`: tests analyze much audio, and without optimization that takes 45 times as long. Packages
// with such flags are of no use to others, and all of it optimized takes twice as long to build.
if Context.environment["NOCTURNE_TESTS"] != nil {
  let computing = [
    "AnalysisEngine", "AnalysisTesting", "AudioDecoding", "BuiltInAnalyzers", "Chromaprint", "DSP", "Duplicates",
    "Landmarks", "Likeness", "Listening", "Recognition", "Tempo",
  ]
  for target in package.targets where computing.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-O"])]
  }
  for target in package.targets where ["CLibAV", "CKernels"].contains(target.name) {
    target.cSettings = [.unsafeFlags(["-O2"])]
  }
}

// Fuzz targets have no `main`: libFuzzer brings it. Only `make fuzz` builds them.
if Context.environment["NOCTURNE_FUZZING"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "Analysis", "AnalysisEngine", "AudioDecoding", "BuiltInAnalyzers", "DSP", "Exports", "Filters", "Landmarks",
        "LibraryScan", "LibraryStore", "MediaContainers", "Pipeline", "Recognition", "Records", "Reporting", "ResultStore",
        "Platform", "Serving", "TagReading", "Text", grdb, systemPackage,
      ],
      path: "Fuzzing/Targets", swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]))
}
