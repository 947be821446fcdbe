public import Foundation
public import SystemPackage

/// The files of the repository that tests read, located relative to this source file.
public enum Repository {
  /// The folder with Package.swift.
  private static let root = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
    .removingLastComponent()

  /// - Parameter name: A path relative to the folder with Package.swift.
  public static func path(_ name: String = "") -> FilePath { root.appending(name) }

  public static func url(_ name: String = "") -> URL { URL(filePath: path(name).string) }
}
