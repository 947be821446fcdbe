// Recognition: which recording a clip is from.
//
//     Signatures/   PCM in, signatures out: what is kept of a track
//     Queries/      PCM in, queries out: what is heard of a clip, by a network in Resources/
//     Catalog/      references with their media items: in memory, in a file, in a folder that grows
//     Index/        the segments that catalogs consist of: landmarks, and an inverted file of their pairs
//     Matching/     the place in a catalog that a query is from, and how sure that is
//     Parts/        catalogs that are kept elsewhere, and asked together with those of this machine
//     Session/      matching for apps: clips and streams
//     Cues/         which tracks play when in a long recording or a stream
//
// A way through it: `RecognitionSession.match` → `CatalogMatcher` → `Matcher`, which votes with `QueryPairs` for places
// (`ProbeList`, `VoteTable`), and checks the best ones with `MatchedFilter`; `Finding` says how likely the best one is.

@_exported public import Landmarks

@_exported public import enum Text.JSONValue
