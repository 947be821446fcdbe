import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@testable import Objects

@Suite(.bounded) struct BucketListingTests {
  private func page(_ keys: [String], next: String? = nil) -> [UInt8] {
    let objects = keys.map {
      """
      <Contents><Key>\($0)</Key><LastModified>2026-11-21T04:15:04.000Z</LastModified><ETag>&quot;one&#45;&#x32;&quot;</ETag>
      <Size>7</Size><StorageClass>STANDARD</StorageClass><Owner><ID>x</ID></Owner></Contents>
      """
    }
    let truncated = next.map { "<IsTruncated>true</IsTruncated><NextContinuationToken>\($0)</NextContinuationToken>" }
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix/>\
      \(truncated ?? "<IsTruncated>false</IsTruncated>")\(objects.joined())</ListBucketResult>
      """.utf8)
  }

  private func keys(_ uri: String, _ answer: @escaping @Sendable (String) -> [UInt8]?) throws -> [String] {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { request in
      request.number == 1 ? [.answer(503)] : [answer(request.target).map { .answer(200, [:], $0) } ?? .answer(404)]
    }
    var policy = FetchPolicy(silence: .seconds(2))
    policy.firstPause = .milliseconds(1)
    let fetcher = ObjectFetcher(
      ObjectAccess(environment: ["AWS_ENDPOINT_URL": "http://127.0.0.1:\(server.port)"], home: folder.path),
      space: FetchSpace(limit: 1, in: folder.path), policy: policy)
    let root = try ObjectFolder(uri: Array(uri.utf8))
    var listing = BucketListing(root, through: fetcher)
    var found: [String] = []
    while let object = try listing.next(isCancelled: { false }) { found.append(object.encodedKey) }
    return found
  }

  @Test func pagesFollowEachOtherAndBusyAnswersAreAskedAgain() throws {
    let (one, two) = (page(["a/b+c%2B.wav", "a/"], next: "x/y+z=&amp;"), page(["a/d.wav"]))
    let found = try keys("s3://b/a/") { target in
      switch target {
      case "/b?encoding-type=url&list-type=2&prefix=a%2F": one
      case "/b?continuation-token=x%2Fy%2Bz%3D%26&encoding-type=url&list-type=2&prefix=a%2F": two
      default: nil
      }
    }
    #expect(found == ["a/b%20c%2B.wav", "a/", "a/d.wav"])
  }

  @Test func aNameMayBeThatOfAnObject() throws {
    let (none, some) = (page([]), page(["a.wav", "a.wav2"]))
    #expect(try keys("s3://b/a.wav") { $0.hasSuffix("prefix=a.wav") ? some : none } == ["a.wav"])
    #expect(try keys("s3://b/a.wa") { $0.hasSuffix("prefix=a.wa") ? some : none }.isEmpty)
    #expect(try keys("s3://b") { _ in none }.isEmpty)
    #expect(throws: FetchFailure.self) { try keys("s3://b") { _ in nil } }
    #expect(throws: FetchFailure.self) { try keys("s3://b") { _ in Array("<html></html>".utf8) } }
  }

  @Test func halfAPageIsNone() throws {
    let whole = page(["a", "b"])
    #expect(ListingPage(whole)?.objects.map(\.entityTag) == ["\"one-2\"", "\"one-2\""])
    #expect(ListingPage(whole)?.objects.map(\.modified.seconds) == [1_795_234_504, 1_795_234_504])
    for length in 0..<whole.count { #expect(ListingPage(Array(whole[..<length])) == nil) }
    #expect(ListingPage(Array("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>".utf8)) == nil)
  }

  @Test func foldersAreBucketsAndPrefixes() throws {
    for (uri, key, path) in [
      ("s3://b", "", "s3:/b"), ("s3://b/", "", "s3:/b"), ("gs://b/a//", "a", "gs:/b/a"),
      ("s3://b/x y/z", "x y/z", "s3:/b/x y/z"),
    ] {
      let folder = try ObjectFolder(uri: Array(uri.utf8))
      #expect(folder.key == Array(key.utf8) && folder.path == FilePath(path) && ObjectFolder(folder.path) == folder)
    }
    for uri in ["https://h/a", "s3://", "s3:///a", "s3://b/../a"] {
      #expect(throws: ObjectNameError.self) { try ObjectFolder(uri: Array(uri.utf8)) }
    }
  }
}
