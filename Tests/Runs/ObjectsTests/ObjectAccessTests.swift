import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@testable import Objects

@Suite(.bounded) struct ObjectAccessTests {
  private func text(
    _ uri: String, _ environment: [String: String] = [:], home: FilePath = "/nowhere", region: String? = nil
  ) throws -> [String] {
    let access = ObjectAccess(environment: environment, home: home)
    let request = access.request(for: try ObjectAddress(uri: Array(uri.utf8)), region: region, silence: .seconds(60))
    return String(decoding: request.text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func amazonIsAskedWhereTheBucketIs() throws {
    #expect(
      try text("s3://songs/a/b c+d%25.flac").contains(
        #"url = "https://songs.s3.us-east-1.amazonaws.com/a/b%20c%2Bd%25.flac""#))
    #expect(
      try text("s3://so.ngs/a", ["AWS_REGION": "eu-west-1"]).contains(
        #"url = "https://s3.eu-west-1.amazonaws.com/so.ngs/a""#))
    #expect(try text("s3://songs/a", region: "x-1").contains(#"url = "https://songs.s3.x-1.amazonaws.com/a""#))
    for variable in ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"] {
      #expect(
        try text("s3://songs/a", [variable: "http://127.0.0.1:9000/"]).contains(
          #"url = "http://127.0.0.1:9000/songs/a""#))
    }
    #expect(try text("gs://songs/a").contains(#"url = "https://storage.googleapis.com/songs/a""#))
  }

  @Test func keysAreThoseOfTheEnvironmentOrTheProfile() throws {
    let folder = try TemporaryDirectory()
    let aws = folder.path.appending(".aws")
    try aws.makeFolder()
    try FileReplacement.write(
      Array(
        "# keys\n[other]\naws_access_key_id = NO\naws_secret_access_key=NO\n[default]\naws_access_key_id = AK\r\n aws_secret_access_key=se\"c\\ret=\n"
          .utf8),
      to: aws.appending("credentials"))
    try FileReplacement.write(
      Array("[default]\nregion = eu-north-1\n[profile other]\nregion=eu-south-1\n".utf8), to: aws.appending("config"))
    let profile = try text("s3://b/a", home: folder.path)
    #expect(profile.contains(#"user = "AK:se\"c\\ret=""#))
    #expect(profile.contains(#"aws-sigv4 = "aws:amz:eu-north-1:s3""#))
    let other = try text("s3://b/a", ["AWS_PROFILE": "other"], home: folder.path)
    #expect(other.contains(#"user = "NO:NO""#) && other.contains(#"aws-sigv4 = "aws:amz:eu-south-1:s3""#))
    let keys = ["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "KEY", "AWS_SESSION_TOKEN": "T", "AWS_REGION": "r"]
    let environment = try text("s3://b/a", keys, home: folder.path)
    #expect(environment.contains(#"user = "ID:KEY""#) && environment.contains(#"header = "x-amz-security-token: T""#))
    #expect(try !text("s3://b/a").contains { $0.hasPrefix("user =") || $0.hasPrefix("aws-sigv4") })
    #expect(try text("gs://b/a", ["GS_ACCESS_KEY_ID": "G", "GS_SECRET_ACCESS_KEY": "S"]).contains(#"user = "G:S""#))
    #expect(try text("gs://b/a", ["GOOGLE_OAUTH_ACCESS_TOKEN": "T"]).contains(#"header = "Authorization: Bearer T""#))
    // Keys of one store are not used for another, nor for other servers.
    for uri in ["gs://b/a", "https://b.s3.amazonaws.com/a", "http://b/a"] {
      #expect(try !text(uri, keys, home: folder.path).contains { $0.hasPrefix("user =") })
    }
  }

  @Test func aWebAddressIsSentAsItWasWritten() throws {
    let signed = try text("https://me:p%40ss@host:8443/a b/c.flac?x=1&X-Amz-Signature=ab%2Fcd#part")
    #expect(signed.contains(#"url = "https://host:8443/a%20b/c.flac?x=1&X-Amz-Signature=ab%2Fcd""#))
    #expect(signed.contains(#"user = "me:p@ss""#))
    #expect(signed.contains(#"proto-redir = "=https""#))
    #expect(CurlRequest.arguments == ["curl", "--disable", "--config", "-"])
  }

  @Test func everyRequestSaysWhatItMayDo() throws {
    #expect(
      try text("http://me@host/a") == [
        "silent", "globoff", "path-as-is", "include", "suppress-connect-headers", #"url = "http://host/a""#,
        #"proto = "=http,https""#, #"proto-redir = "=http,https""#, "location", #"max-redirs = "5""#,
        #"user-agent = "nocturne""#, #"connect-timeout = "60""#, #"speed-limit = "1024""#, #"speed-time = "60""#,
        #"user = "me:""#,
      ])
    #expect(try text("https://host/a").contains(#"proto = "=https""#))
    #expect(try text("https://host/a").last == "netrc-optional")
    // Buckets are not redirected, because a signature is for one address.
    let keys = ["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "KEY"]
    let bucket = try text("s3://b/a", keys)
    #expect(!bucket.contains("location"))
    let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    #expect(bucket.contains(#"header = "x-amz-content-sha256: \#(digest)""#))
    #expect(!bucket.contains { $0.contains("security-token") })
  }

  @Test func endpointsAndTokensOfGoogle() throws {
    #expect(
      try text("gs://b/a", ["GS_ENDPOINT_URL": "minio:9000/"]).contains(#"url = "https://minio:9000/b/a""#))
    #expect(try text("s3://b/a", ["AWS_ENDPOINT_URL": "minio:9000"]).contains(#"url = "https://minio:9000/b/a""#))
    let both = ["GS_ACCESS_KEY_ID": "G", "GS_SECRET_ACCESS_KEY": "S", "CLOUDSDK_AUTH_ACCESS_TOKEN": "T"]
    // A token counts more than keys, and is for this store only.
    let token = try text("gs://b/a", both)
    #expect(token.contains(#"header = "Authorization: Bearer T""#) && !token.contains { $0.hasPrefix("user =") })
    #expect(try !text("s3://b/a", both).contains { $0.contains("Bearer") || $0.hasPrefix("user =") })
    let keys = try text("gs://b/a", ["GS_ACCESS_KEY_ID": "G", "GS_SECRET_ACCESS_KEY": "S"])
    #expect(keys.contains(#"aws-sigv4 = "aws:amz:auto:s3""#))
  }

  @Test func profileFilesAreReadAsTheirOwnToolsDo() throws {
    let folder = try TemporaryDirectory()
    func section(_ text: String) throws -> [String: String] {
      AWSProfileFile.section("default", of: try folder.write(Array(text.utf8), as: "config"))
    }
    let text = """
      early = 1
      [ default ]
      # region = no
      ; region = no
      \tregion  =  eu-1  \t
      empty=
      no sign
      [other]
      late = 1
      """
    #expect(try section(text) == ["region": "eu-1", "empty": ""])
    let head = "[default]\na = 1\n#"
    #expect(try section(head + String(repeating: "x", count: (1 << 20) - head.utf8.count)) == ["a": "1"])
    #expect(try section(head + String(repeating: "x", count: (1 << 20) - head.utf8.count + 1)) == [:])
    #expect(AWSProfileFile.section("default", of: folder.file("none")) == [:])
  }
}
