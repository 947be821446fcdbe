internal import CLibAV
internal import CSamplerate
internal import CSndfile
internal import CSoxr

/// Which libraries decode and resample, as loaded now.
public enum DecodingLibraries {
  public static var versions: [String] {
    [
      unsafe String(cString: sf_version_string()),
      unsafe "FFmpeg " + String(cString: lav_version()),
      unsafe String(cString: soxr_version()),
      unsafe String(cString: src_get_version()),
    ]
  }
}
