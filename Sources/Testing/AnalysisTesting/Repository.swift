public import Foundation
public import SystemPackage

/// Files of the repository that tests read, found from the place of this source file.
public enum Repository {
  /// The folder that has Package.swift.
  private static let root = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
    .removingLastComponent()

  /// - Parameter name: A path below the folder of Package.swift.
  public static func path(_ name: String = "") -> FilePath { root.appending(name) }

  public static func url(_ name: String = "") -> URL { URL(filePath: path(name).string) }
}
