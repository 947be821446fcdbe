internal import HTTPTypes
internal import Serving
internal import Text

/// A lookup error, with a message and the error code of AcoustID's web service (acoustid.org/webservice).
enum AcoustIDError: Error {
  case unknownFormat(String)
  case missingParameter(String)
  case invalidFingerprint
  case invalidUUID(String)
  case invalidDuration
  case other(RequestError)

  var code: Int {
    switch self {
    case .unknownFormat: 1
    case .missingParameter: 2
    case .invalidFingerprint: 3
    case .invalidUUID: 7
    case .invalidDuration: 8
    case .other(let error): error.status == .serviceUnavailable ? 13 : 5
    }
  }

  var message: String {
    switch self {
    case .unknownFormat(let name): "unknown format \"\(name)\""
    case .missingParameter(let name): "missing required parameter \"\(name)\""
    case .invalidFingerprint: "invalid fingerprint"
    case .invalidUUID(let name): "parameter \"\(name)\" is not a valid UUID"
    case .invalidDuration: "parameter \"duration\" is not a number of seconds, 1 to 32767"
    case .other(let error): error.message
    }
  }

  var status: HTTPResponse.Status {
    if case .other(let error) = self { error.status } else { .badRequest }
  }

  var jsonValue: JSONValue {
    ["code": .integer(Int64(code)), "message": .string(message)]
  }
}
