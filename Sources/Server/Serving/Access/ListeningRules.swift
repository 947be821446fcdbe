/// Refuses options that would expose the server without a token.
package enum ListeningRules {
  /// Returns text that says which option needs a token file, and how to create the file; `nil` if there is no problem.
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
    Create the file with a name and a token on each line: \
    (umask 077; echo "phone $(head -c 24 /dev/urandom | base64)" >> tokens)
    """
}
