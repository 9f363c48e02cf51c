const queryValueMin = 4;
const pathSegmentMin = 16;

/** The secrets of a request to a receiver. */
interface SentSecrets {
  readonly texts: readonly string[];
  /** Keys and signatures, which a reply may contain in any common encoding. */
  readonly bytes: readonly Uint8Array[];
}

/**
 * Returns the strings to redact in a receiver's reply. An error page may print the receiver's settings, including the
 * signing secrets, or the request with its signatures and URL.
 */
export function secretsToRedact(url: URL, { texts, bytes }: SentSecrets): string[] {
  const secrets = [...texts, ...bytes.flatMap(encodingsOf), ...secretsInUrl(url)];
  return [...new Set(secrets.filter((text) => text !== ""))];
}

/**
 * Returns the parts of a URL that may be tokens: query values of at least 4 and path segments of at least 16
 * characters.
 */
function secretsInUrl(url: URL): string[] {
  const segments = url.pathname
    .split("/")
    .filter((segment) => segment.length >= pathSegmentMin)
    .flatMap((segment) => [segment, percentDecoded(segment)])
    .filter((text) => text.length >= pathSegmentMin);
  const decodedValues = [...url.searchParams].map(([name, value]) => value || name);
  const rawValues = url.search
    .slice(1)
    .split("&")
    .map((pair) => pair.replace(/^[^=]*=(?=.)/, ""));
  const values = [...decodedValues, ...rawValues].filter((value) => value.length >= queryValueMin);
  return [...segments, ...values];
}

/** Returns bytes in hexadecimal, in both cases, and in both alphabets of base64, unpadded. */
function encodingsOf(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes);
  const hex = buffer.toString("hex");
  return [hex, hex.toUpperCase(), buffer.toString("base64").replace(/=+$/, ""), buffer.toString("base64url")];
}

/** Decodes percent escapes; unlike decodeURIComponent, replaces invalid UTF-8 instead of throwing. */
function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  return new URLSearchParams(`=${text.replace(/[+&]/g, encodeURIComponent)}`).get("") ?? "";
}
