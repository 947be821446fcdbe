/// Refuses options that would expose the server without a token.
package enum ListeningRules {
  /// Returns a sentence that says which options exclude each other and what to do about it; `nil` if there is no
  /// problem.
  package static func problem(with options: ServingOptions) -> String? {
    guard options.tokenFile == nil else { return nil }
    let host = NetworkAddress(options.host)
    if host?.isLoopback != true && options.host.lowercased() != "localhost" {
      return "--host \(options.host) lets other machines connect, so it needs --token-file FILE. \(Self.advice)"
    }
    if let name = options.names.first {
      return """
        --name \(name) is for a reverse proxy, which lets other machines connect, so it needs --token-file FILE. \
        \(Self.advice)
        """
    }
    if !options.trustedProxies.isEmpty {
      return "--trust-proxy lets other machines connect, so it needs --token-file FILE. \(Self.advice)"
    }
    return nil
  }

  package static let advice = """
    Make such a file with a name and a token a line: \
    (umask 077; echo "phone $(head -c 24 /dev/urandom | base64)" >> tokens)
    """
}
