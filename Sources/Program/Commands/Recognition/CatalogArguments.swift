import ArgumentParser
import Pipeline
internal import Platform
import Recognition
package import RecognitionTasks

/// The option for a command's catalog.
struct CatalogArguments: ParsableArguments {
  @Option(help: Settings.catalog.help("dir|file"))
  var catalog: PathArgument?

  func apply(to settings: inout CommandSettings) {
    settings.take(catalog, for: Settings.catalog, option: "--catalog")
  }
}

/// The options for the catalogs that a command searches together.
package struct CatalogSourceArguments: ParsableArguments {
  @Option(
    name: .customLong("catalog"),
    help: ArgumentHelp(
      "Search this catalog: folder, file or http://host:port; repeatable",
      valueName: "catalog"))
  var catalogs: [CatalogSourceArgument] = []

  package init() {}

  package func validate() throws {
    for case .neither(let text, let problem) in catalogs {
      throw ValidationError("--catalog cannot be \(text): \(problem).")
    }
  }

  /// `true` if the options name no catalog, so the settings apply.
  package var isEmpty: Bool { catalogs.isEmpty }

  /// The catalogs named by the options, or otherwise by the settings.
  package func catalogs(_ settings: CommandSettings) -> CatalogSources {
    guard !catalogs.isEmpty else { return Self.ofSettings(settings) }
    var sources = CatalogSources(places: [], tokens: settings[Settings.catalogTokens])
    for catalog in catalogs {
      switch catalog {
      case .place(let argument): sources.places.append(argument.path)
      case .server(let address): sources.servers.append(address)
      case .neither: break
      }
    }
    return sources
  }
}

extension CatalogSourceArguments {
  static func ofSettings(_ settings: CommandSettings) -> CatalogSources {
    CatalogSources(
      places: [settings[Settings.catalog]], servers: settings[Settings.catalogServers],
      tokens: settings[Settings.catalogTokens], mayBeMissing: true)
  }
}

/// A catalog as given on the command line.
enum CatalogSourceArgument: ExpressibleByArgument, Sendable {
  case place(PathArgument)
  case server(ServerAddress)
  /// Rejected by `validate`, with a message that says why.
  case neither(String, problem: String)

  init?(argument: String) {
    if argument.contains("://"), !argument.lowercased().hasPrefix("file:") {
      do {
        self = .server(try ServerAddress(argument))
      } catch {
        // Text before an @ may be a secret.
        self = .neither(error == .hasSecret ? "that address" : argument, problem: error.description)
      }
    } else if let path = PathArgument(argument: argument) {
      self = .place(path)
    } else {
      return nil
    }
  }

  static let defaultCompletionKind = CompletionKind.file()
}

extension CommandSettings {
  /// Opens the catalog for reading. If it is missing or empty, the error says how to create it.
  func openCatalog() throws -> CustomCatalog { try CustomCatalog(forQuerying: self[Settings.catalog]) }
}
