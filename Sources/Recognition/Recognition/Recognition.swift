// Recognition identifies the recording that a clip comes from.
//
//     Signatures/   from PCM to signatures: the stored landmarks of a track
//     Queries/      from PCM to queries: landmark likelihoods of a clip, from the network in Resources/
//     Catalog/      references with media items: in memory, in a file, in a growing folder
//     Index/        segments, the units of a catalog: landmarks and an inverted file of landmark pairs
//     Matching/     the place in a catalog that a query comes from, with its confidence
//     Parts/        remote catalogs, matched together with the local ones
//     Session/      the API for apps: clips and streams
//     Cues/         tracks with their times in a long recording or a stream
//
// The call path is `RecognitionSession.match` → `CatalogMatcher` → `Matcher`. `Matcher` votes for places with
// `QueryPairs` (`ProbeList`, `VoteTable`) and verifies the best ones with `MatchedFilter`. `Finding` computes the
// confidence.

@_exported public import Landmarks

@_exported public import enum Text.JSONValue
