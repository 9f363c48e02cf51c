/** Separates the credentials from a server's address, because the client library expects them as options. */
export function splitCredentials(server: string): { readonly host: string; readonly credentials: string } {
  const [, scheme = "", credentials = "", rest = ""] = /^(\w+:\/\/)?(?:(.*)@)?(.*)$/s.exec(server) ?? [];
  return { host: scheme + rest, credentials };
}

/**
 * Decodes the percent escapes of credentials: the user and password, or the token.
 *
 * @throws URIError for an invalid percent escape
 */
export function credentialsOf(
  credentials: string | undefined,
): { user: string; pass: string } | { token: string } | undefined {
  if (credentials === undefined) return undefined;
  const [user = "", pass] = credentials.split(/:(.*)/s, 2).map(decodeURIComponent);
  return pass === undefined ? { token: user } : { user, pass };
}
