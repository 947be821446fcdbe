/// The media types of audio files, determined by the detected container and codec rather than by the file name.
enum AudioMediaType {
  /// - Parameters: The names that `AudioFormat` uses.
  static func name(container: String?, codec: String?) -> String {
    switch container {
    case "flac": "audio/flac"
    case "mp3": "audio/mpeg"
    case "adts", "loas": "audio/aac"
    case "mp4": "audio/mp4"
    case "ogg": codec == "opus" ? "audio/ogg; codecs=opus" : "audio/ogg"
    case "wav", "rf64", "w64", "rifx": "audio/wav"
    case "aiff", "aifc": "audio/aiff"
    case "matroska": "audio/x-matroska"
    case "asf": "audio/x-ms-wma"
    case "ape": "audio/x-ape"
    case "wv": "audio/x-wavpack"
    case "mpc": "audio/x-musepack"
    case "tta": "audio/x-tta"
    case "tak": "audio/x-tak"
    case "dsf": "audio/x-dsf"
    case "dsdiff": "audio/x-dff"
    case "caf": "audio/x-caf"
    case "au": "audio/basic"
    case "amr", "amrnb", "amrwb": "audio/amr"
    case "ac3": "audio/ac3"
    case "eac3": "audio/eac3"
    case "dts", "dtshd": "audio/vnd.dts"
    default: "application/octet-stream"
    }
  }
}
