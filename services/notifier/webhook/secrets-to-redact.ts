import type { MessageHeader, SigningSecrets } from "#shared/webhook/message-headers.ts";

const queryValueMin = 4;
const pathSegmentMin = 16;

/**
 * Returns the strings to redact in a receiver's reply. An error page may print the receiver's settings, including the
 * signing secrets, or the request with its signatures and URL.
 */
export function secretsToRedact(
  url: URL,
  { secret, otherSecret }: SigningSecrets,
  signatures: readonly MessageHeader[],
): string[] {
  const secrets = [secret, otherSecret?.secret ?? []].map((bytes) => Buffer.from(bytes).toString());
  const digests = signatures.flatMap(([, value]) => digestEncodings(value.replace(/^.*=/, "")));
  return [...new Set([...secrets, ...digests, ...secretsInUrl(url)].filter((text) => text !== ""))];
}

/**
 * Returns the parts of a URL that may be tokens: query values of at least 4 and path segments of at least 16
 * characters.
 */
export function secretsInUrl(url: URL): string[] {
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

/** Returns a digest in hexadecimal, as in the header, and in other common encodings, with base64 unpadded. */
function digestEncodings(hex: string): string[] {
  const bytes = Buffer.from(hex, "hex");
  return [hex, hex.toUpperCase(), bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
}

/** Decodes percent escapes; unlike decodeURIComponent, replaces invalid UTF-8 instead of throwing. */
function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  return new URLSearchParams(`=${text.replace(/[+&]/g, encodeURIComponent)}`).get("") ?? "";
}
