/** The characters of a bearer token (RFC 6750, section 2.1). */
const bearerToken = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Returns a bearer token as it is sent: without the white space around it that a file or a paste leaves.
 *
 * @param option the name of the option with the token
 * @param kind what the token is, such as `API key`
 * @throws TypeError for a token that is missing or cannot be sent
 */
export function bearerOf(value: unknown, option: string, kind: string): string {
  const token = typeof value === "string" ? value.trim() : "";
  const article = /^[AEIOU]/.test(kind) ? "an" : "a";
  if (token === "")
    throw new TypeError(`${option} is missing or not a string: create ${article} ${kind} in the store's settings`);
  // For an invalid header, `fetch` throws the same error as for a lost connection, and the request would be retried.
  if (bearerToken.test(token)) return token;
  throw new TypeError(`${option} contains a character that no ${kind} has: use one from the store's settings as it is`);
}

/**
 * Returns the URL of a path of the service.
 *
 * @param path begins with a slash; can have a query
 * @throws TypeError for a base URL that does not begin with `https://` or `http://`
 */
export function serviceUrl(baseUrl: string | URL, path: string): URL {
  const base = String(baseUrl).replace(/\/+$/, "");
  const url = URL.canParse(base) ? new URL(base + path) : undefined;
  // `localhost:8080` is a valid URL with the scheme `localhost:`. Requests to it would fail like broken connections.
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new TypeError(`The URL of the service must begin with https:// or http://, and is '${base}'`);
}
