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

/// A folder of `Sources` whose modules belong together; its tests lie in the folder of the same name in `Tests`.
/// docs/architecture.md says what each room is for, and Scripts/check-modules that no two use each other.
struct Room {
  let name: String

  init(_ name: String) { self.name = name }

  /// A C library that Debian ships with a pkg-config file.
  func systemLibrary(_ name: String, pkgConfig: String, debian: String) -> Target {
    .systemLibrary(name: name, path: sources(name), pkgConfig: pkgConfig, providers: [.apt([debian])])
  }

  func cLibrary(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: sources(name))
  }

  func module(
    _ name: String, _ dependencies: [Target.Dependency], excluding excluded: [String] = [], resources: [Resource] = [],
    settings: [SwiftSetting] = strict
  ) -> Target {
    .target(
      name: name, dependencies: dependencies, path: sources(name), exclude: excluded, resources: resources,
      swiftSettings: settings)
  }

  func executable(_ name: String, _ dependencies: [Target.Dependency], linkerSettings: [LinkerSetting]) -> Target {
    .executableTarget(
      name: name, dependencies: dependencies, path: sources(name), swiftSettings: strictAsync,
      linkerSettings: linkerSettings)
  }

  /// - Parameter excluded: Files in its folder that are no sources, such as `Snapshots`.
  func tests(
    _ name: String, _ dependencies: [Target.Dependency], excluding excluded: [String] = [],
    settings: [SwiftSetting] = strict
  ) -> Target {
    .testTarget(
      name: name, dependencies: dependencies, path: "Tests/\(self.name)/\(name)", exclude: excluded,
      swiftSettings: settings)
  }

  private func sources(_ target: String) -> String { "Sources/\(name)/\(target)" }
}

let ground = Room("Ground")
let model = Room("Model")
let media = Room("Media")
let sound = Room("Sound")
let recognition = Room("Recognition")
let store = Room("Store")
let runs = Room("Runs")
let outputs = Room("Outputs")
let tasks = Room("Tasks")
let server = Room("Server")
let program = Room("Program")
let testing = Room("Testing")

func example(
  _ name: String, _ dependencies: [Target.Dependency],
  settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Examples/\(name)/Sources/\(name)", swiftSettings: settings)
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
    .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
    .package(url: "https://github.com/apple/swift-http-types", .upToNextMinor(from: "1.8.0")),
    .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
    .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
    .package(url: "https://github.com/apple/swift-system", .upToNextMinor(from: "1.8.1")),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", .upToNextMinor(from: "2.13.0")),
    .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
    .package(url: "https://github.com/hummingbird-project/hummingbird", .upToNextMinor(from: "2.28.1"), traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", .upToNextMinor(from: "2.1.1")),
    .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.2")),
  ],
  targets: [
    // Ground. The system, text, signal processing, C libraries: every room stands on it.
    ground.systemLibrary("CFFTW", pkgConfig: "fftw3f", debian: "libfftw3-dev"),
    ground.systemLibrary("CSoxr", pkgConfig: "soxr", debian: "libsoxr-dev"),
    ground.systemLibrary("CSamplerate", pkgConfig: "samplerate", debian: "libsamplerate0-dev"),
    ground.systemLibrary("CXXHash", pkgConfig: "libxxhash", debian: "libxxhash-dev"),
    ground.systemLibrary("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),
    ground.cLibrary("CSpawn"),
    ground.cLibrary("CLoading"),
    ground.cLibrary("CKernels"),
    // Files compiled in; written by Scripts/write-resources.
    ground.cLibrary("CResources"),
    // FFmpeg's macros, and what glibc hides from Swift, behind plain C headers.
    ground.cLibrary("CLibAV", ["CLoading"]),
    ground.module("Platform", ["CSpawn", systemPackage]),
    ground.module("Text", []),
    ground.module("Mathematics", []),
    ground.module("DSP", ["CFFTW", "CKernels", "CSamplerate", "CSoxr"]),
    ground.module("Digests", ["CLibAV", "Text"]),
    ground.module("Resources", ["CResources"]),

    // Model. The vocabulary: analyzers and findings, records of files and runs, tracks, filters.
    model.module("Analysis", ["CXXHash", "Platform", "Text", systemPackage]),
    model.module("Records", ["Analysis", "Platform", "Text", systemPackage]),
    model.module("Library", ["Analysis", "Platform", "Records", "Text", systemPackage]),
    model.module("Filters", ["Analysis", "Text", systemPackage]),

    // Media. Audio files: containers, decoding, encoding, tags.
    media.cLibrary("CSndfile", ["CLoading"]),
    media.module("MediaContainers", [systemPackage]),
    media.module(
      "AudioDecoding",
      ["Analysis", "CLibAV", "CLoading", "CSamplerate", "CSndfile", "CSoxr", "DSP", "MediaContainers", systemPackage]),
    media.module(
      "AudioEncoding", ["Analysis", "AudioDecoding", "CLibAV", "CSndfile", "DSP", "Platform", systemPackage]),
    media.module("TagReading", ["Analysis", "CZlib", "MediaContainers", systemPackage]),
    media.module(
      "TagWriting", ["Analysis", "AudioDecoding", "MediaContainers", "Platform", "TagReading", systemPackage]),

    // Sound. Analyzers, and the engine that runs them over one file.
    sound.cLibrary("CChromaprint", ["CLoading"]),
    sound.module("Tempo", ["Mathematics", "Analysis", "CKernels", "DSP", "Resources"], excluding: ["Resources"]),
    sound.module("Likeness", ["Mathematics", "Analysis", "DSP", "Resources"], excluding: ["Resources"]),
    sound.module("Chromaprint", ["Analysis", "CChromaprint"]),
    sound.module("Landmarks", ["Mathematics", "Analysis"]),
    sound.module(
      "BuiltInAnalyzers",
      [
        "Mathematics",
        "Analysis", "Chromaprint", "CKernels", "DSP", "Landmarks", "Likeness", "Resources", "TagReading", "Tempo",
        "Text",
      ], excluding: ["Key/Resources"]),
    sound.module("AnalysisEngine", ["Analysis", "AudioDecoding", "Digests", "DSP", "Platform", "Text", systemPackage]),
    // The analyzers without store and command line, for other programs.
    sound.module(
      "AudioAnalysis", ["Analysis", "AnalysisEngine", "AudioDecoding", "BuiltInAnalyzers", "DSP", systemPackage]),

    // Recognition. Which recording a clip is from; which files are one recording.
    recognition.module(
      "Recognition",
      ["Mathematics", "Analysis", "CKernels", "DSP", "Landmarks", "Platform", "Resources", "Text", systemPackage],
      excluding: ["Resources"]),
    recognition.module(
      "Listening", ["Analysis", "AudioDecoding", "DSP", "Landmarks", "Platform", "Recognition", systemPackage]),
    // Catalogs of other servers, asked over HTTP.
    recognition.module(
      "RemoteCatalogs",
      [
        "Platform", "Recognition", "Text", systemPackage, .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ], settings: strictWithNIO),
    recognition.module("Duplicates", ["Chromaprint", "Landmarks"]),

    // Store. The database.
    store.module(
      "ResultStore",
      [
        "Analysis", "DSP", "Library", "Platform", "Records", "Text", systemPackage, grdb,
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    store.module(
      "LibraryStore",
      ["Analysis", "Filters", "Library", "Platform", "Records", "ResultStore", "Text", systemPackage, grdb]),

    // Runs. The nightly run: walking, reading objects, settings, workers.
    runs.module("LibraryScan", ["Platform", systemPackage]),
    runs.module("Objects", ["Platform", systemPackage]),
    runs.module(
      "Pipeline",
      [
        "Analysis", "AnalysisEngine", "AudioDecoding", "Digests", "DSP", "LibraryScan", "Objects", "Platform",
        "Records", "ResultStore", "Text", "Yams", systemPackage,
      ],
      // Jobs for engines, which are no definitions.
      excluding: ["BuiltInDefinitions/redis", "BuiltInDefinitions/spark"],
      // A link to pipelines/. Embedded, since a bundle is not found once the executable is moved.
      resources: [.embedInCode("BuiltInDefinitions")]),

    // Outputs. Reports, exports, pages.
    outputs.module(
      "Reporting",
      [
        "Analysis", "Library", "Platform", "Records", "Resources", "Text", systemPackage,
        .product(name: "Mustache", package: "swift-mustache"),
      ]),
    outputs.module(
      "Exports",
      [
        "Analysis", "CZlib", "Filters", "Library", "MediaContainers", "Platform", "Records", "Text", grdb,
        systemPackage,
      ]),

    // Tasks. Commands as values, without options and terminals.
    tasks.module(
      "DuplicateTasks",
      [
        "Analysis", "Chromaprint", "Duplicates", "Filters", "Landmarks", "Library", "LibraryStore", "Platform",
        "Records",
        "Reporting", "ResultStore", "Text", systemPackage,
      ]),
    tasks.module(
      "AnalysisTasks",
      [
        "Analysis", "AudioDecoding", "BuiltInAnalyzers", "DuplicateTasks", "Exports", "LibraryScan", "LibraryStore",
        "Likeness", "Pipeline", "Platform", "Recognition", "Records", "Reporting", "ResultStore", "Text", systemPackage,
      ]),
    tasks.module(
      "LibraryTasks",
      [
        "Analysis", "AnalysisEngine", "AudioDecoding", "AudioEncoding", "BuiltInAnalyzers", "Chromaprint", "CLibAV",
        "DSP", "Exports", "Filters", "Library", "LibraryStore", "Likeness",
        "Platform", "Records", "Reporting", "ResultStore", "TagWriting", "Text", systemPackage,
      ]),
    tasks.module(
      "RecognitionTasks",
      [
        "Analysis", "AnalysisEngine", "AudioDecoding", "AudioEncoding", "DSP", "Landmarks", "Library", "Listening",
        "Platform", "Recognition", "Records", "RemoteCatalogs", "Reporting", "ResultStore", "Text",
        systemPackage,
      ]),
    // The program of this name: the same binary under another one.
    tasks.module("Fpcalc", ["Analysis", "AudioDecoding", "Chromaprint", "Platform", "ResultStore", systemPackage]),

    // Server. The catalogs over HTTP, and the app.
    server.module(
      "Serving",
      [
        "Analysis", "CZlib", "Digests", "Platform", "Records", "Text", systemPackage,
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ], settings: strictWithNIO),
    // The catalogs over HTTP, and the app.
    server.module(
      "Server",
      [
        "DuplicateTasks", "Analysis", "AnalysisEngine", "AnalysisTasks", "Chromaprint", "Filters", "Library",
        "LibraryStore",
        "LibraryTasks", "Listening", "Platform", "Recognition", "RecognitionTasks", "Records", "Reporting",
        "Resources", "ResultStore", "Serving", "Text", systemPackage,
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], settings: strictWithNIO),

    // Program. The command line.
    program.module(
      "Commands",
      [
        "Analysis", "AnalysisEngine", "AnalysisTasks", "AudioDecoding", "AudioEncoding", "BuiltInAnalyzers",
        "DuplicateTasks", "Exports", "Filters", "Fpcalc", "Landmarks", "Library", "LibraryScan", "LibraryStore",
        "LibraryTasks", "Listening", "Objects", "Pipeline", "Platform", "Recognition", "RecognitionTasks", "Records",
        "Reporting", "ResultStore", "TagWriting", "Text", systemPackage,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], settings: strictAsync),
    program.executable(
      "analyze",
      [
        "AnalysisTasks", "BuiltInAnalyzers", "Commands", "LibraryScan", "Pipeline", "Platform", "RecognitionTasks",
        "Records", "ResultStore", "Server", "Serving", systemPackage, "Text",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], linkerSettings: icuData),

    // Testing. Signals with known truth and a fixed library, for tests only.
    testing.systemLibrary("CEBUR128", pkgConfig: "libebur128", debian: "libebur128-dev"),
    testing.module("AnalysisTesting", ["Analysis", "DSP", "Text", systemPackage]),
    testing.module(
      "LibraryTesting",
      [
        "Analysis", "AnalysisTesting", "DSP", "LibraryStore", "Platform", "Records", "ResultStore", "Text", grdb,
        systemPackage,
      ]),

    // The sources of the packages in Examples/, so that the tests build and run them.
    example("analyze-file", ["AudioAnalysis"]), example("decode-audio", ["AudioDecoding"]),
    example("find-tempo", ["AudioDecoding", "Tempo"]),
    example("recognize", ["Listening", "Recognition", systemPackage], settings: strictAsync),
    example("recognize-pcm", ["Recognition", systemPackage], settings: strictAsync),
    // Times searches for Benchmarks/search.
    .executableTarget(
      name: "time-searches", dependencies: ["Filters", "LibraryStore", "ResultStore", systemPackage],
      path: "Benchmarks/search/time-searches", swiftSettings: strict),
    // Compares sounds for Benchmarks/duplicates.
    .executableTarget(
      name: "compare-sounds",
      dependencies: [
        "BuiltInAnalyzers", "Chromaprint", "Duplicates", "Landmarks", "LibraryStore", "DuplicateTasks", "Platform",
        "Records", "ResultStore", systemPackage,
      ], path: "Benchmarks/duplicates/compare-sounds", swiftSettings: strict),

    // Tests, by the rooms of what they test.
    ground.tests("PlatformTests", ["AnalysisTesting", "Platform", systemPackage]),
    ground.tests("TextTests", ["AnalysisTesting", "Text"]),
    ground.tests("DSPTests", ["AnalysisTesting", "CKernels", "DSP"]),
    ground.tests("DigestsTests", ["AnalysisTesting", "Digests"]),
    model.tests("AnalysisTests", ["Analysis", "AnalysisTesting", "Platform", "Text", systemPackage]),
    model.tests(
      "LibraryTests", ["Analysis", "AnalysisTesting", "Library", "Platform", "Records", "Text", systemPackage]),
    model.tests("FiltersTests", ["Analysis", "AnalysisTesting", "Filters", systemPackage]),
    media.tests("MediaContainersTests", ["AnalysisTesting", "MediaContainers", systemPackage]),
    media.tests(
      "AudioDecodingTests",
      ["Analysis", "AnalysisTesting", "AudioDecoding", "CLibAV", "CSndfile", "MediaContainers", systemPackage]),
    media.tests(
      "AudioEncodingTests", ["Analysis", "AnalysisTesting", "AudioDecoding", "AudioEncoding", "Tempo", systemPackage]),
    media.tests(
      "TagReadingTests",
      ["Analysis", "AnalysisTesting", "AudioDecoding", "MediaContainers", "TagReading", "Text", systemPackage]),
    media.tests(
      "TagWritingTests",
      [
        "Analysis", "AnalysisTesting", "AudioDecoding", "MediaContainers", "Platform", "TagReading", "TagWriting",
        systemPackage,
      ]),
    sound.tests("TempoTests", ["Analysis", "AnalysisTesting", "DSP", "Tempo", systemPackage]),
    sound.tests("LikenessTests", ["Analysis", "AnalysisTesting", "DSP", "Likeness", systemPackage]),
    sound.tests("ChromaprintTests", ["Analysis", "AnalysisTesting", "AudioDecoding", "Chromaprint", systemPackage]),
    sound.tests("AnalyzerContractTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "Records", "Text"]),
    sound.tests(
      "AnalysisEngineTests",
      ["Analysis", "AnalysisEngine", "AnalysisTesting", "AudioDecoding", "DSP", "Platform", "Text", systemPackage]),
    sound.tests("AudioAnalysisTests", ["AnalysisTesting", "AudioAnalysis", "Tempo"]),
    sound.tests(
      "LoudnessTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "CEBUR128", "DSP", systemPackage]),
    sound.tests("CuesTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers"]),
    sound.tests("HealthTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "CKernels", "DSP", systemPackage]),
    sound.tests("WaveformTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "DSP"]),
    sound.tests("KeyTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "DSP", systemPackage]),
    sound.tests("TraitsTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "DSP"]),
    sound.tests("SectionsTests", ["Analysis", "AnalysisTesting", "BuiltInAnalyzers", "DSP", systemPackage]),
    recognition.tests(
      "RecognitionTests",
      [
        "Analysis", "AnalysisTesting", "CKernels", "DSP", "Landmarks", "Listening", "Platform", "Recognition",
        "RemoteCatalogs", "Text", systemPackage,
      ]),
    recognition.tests("DuplicatesTests", ["AnalysisTesting", "Chromaprint", "Duplicates", "Landmarks"]),
    store.tests(
      "ResultStoreTests",
      [
        "AnalysisTesting", "Analysis", "DSP", "Library", "LibraryStore", "LibraryTesting", "Platform", "Records",
        "ResultStore", "Text",
        systemPackage, grdb,
      ]),
    store.tests(
      "LibraryStoreTests",
      [
        "AnalysisTesting", "Analysis", "Filters", "Library", "LibraryStore", "LibraryTesting", "Platform", "Records",
        "ResultStore",
        systemPackage, grdb,
      ]),
    runs.tests("LibraryScanTests", ["AnalysisTesting", "LibraryScan", "Platform", systemPackage]),
    runs.tests("ObjectsTests", ["AnalysisTesting", "Objects", "Platform", systemPackage]),
    runs.tests(
      "PipelineTests",
      [
        "Analysis", "AnalysisEngine", "AnalysisTesting", "AudioDecoding", "DSP", "LibraryScan", "Objects", "Pipeline",
        "Platform", "Records", "ResultStore", "Text", systemPackage,
      ]),
    outputs.tests(
      "ReportingTests",
      [
        "Analysis", "AnalysisTesting", "BuiltInAnalyzers", "LibraryTesting", "Platform", "Records", "Reporting",
        "ResultStore", "Text", systemPackage,
      ], excluding: ["Snapshots"]),
    outputs.tests(
      "ExportsTests",
      [
        "Analysis", "AnalysisTesting", "BuiltInAnalyzers", "CZlib", "Exports", "Filters", "Library", "LibraryStore",
        "LibraryTesting", "MediaContainers", "Platform", "Records", "ResultStore", "Text", grdb, systemPackage,
      ], excluding: ["Snapshots"]),
    tasks.tests(
      "TaskTests",
      [
        "Analysis", "AnalysisEngine", "AnalysisTasks", "AnalysisTesting", "AudioDecoding", "AudioEncoding",
        "BuiltInAnalyzers", "CLibAV", "DuplicateTasks", "Exports", "Filters", "Landmarks", "Library", "LibraryScan",
        "LibraryStore",
        "LibraryTasks", "LibraryTesting", "Objects", "Pipeline", "Platform", "Recognition", "RecognitionTasks",
        "Records", "Reporting", "ResultStore", "TagWriting", "Text", systemPackage,
      ], excluding: ["Library/Snapshots"]),
    tasks.tests(
      "FpcalcTests",
      [
        "Analysis", "AnalysisTesting", "AudioDecoding", "Fpcalc", "LibraryTesting", "Platform", "ResultStore",
        systemPackage,
      ]),
    server.tests(
      "ServingTests",
      [
        "AnalysisTesting", "Platform", "Records", "Serving", "Text", systemPackage,
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], settings: strictWithNIO),
    server.tests(
      "ServerTests",
      [
        "Analysis", "AnalysisEngine", "AnalysisTasks", "Pipeline", "AnalysisTesting", "BuiltInAnalyzers", "Landmarks",
        "LibraryStore", "LibraryTesting", "Platform", "Recognition",
        "RecognitionTasks", "Records", "ResultStore", "Server", "Serving", "Text", grdb, systemPackage,
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], excluding: ["Snapshots"], settings: strictWithNIO),
    program.tests(
      "CommandLineTests",
      [
        "Analysis", "AnalysisTasks", "AnalysisTesting", "analyze", "analyze-file", "AudioDecoding", "Commands",
        "decode-audio", "find-tempo", "LibraryStore", "LibraryTasks", "Pipeline", "Platform", "recognize",
        "recognize-pcm", "Records", "ResultStore", "Text", systemPackage,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
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
        "LibraryScan", "LibraryStore", "MediaContainers", "Pipeline", "Recognition", "Records", "Reporting",
        "ResultStore",
        "Platform", "Serving", "TagReading", "Text", grdb, systemPackage,
      ],
      path: "Fuzzing/Targets", swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]))
}
