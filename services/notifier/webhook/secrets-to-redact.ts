import type { SignatureHeader, SigningSecrets } from "./signature-headers.ts";

const queryValueMin = 4;
const pathSegmentMin = 16;

/**
 * The texts that are hidden in what a receiver replies. The signing secrets were never sent, but the receiver knows them
 * and its error page may print them, like the request with its signatures and the called address with its tokens: what
 * the query says, and what in the path is long enough for one.
 */
export function secretsToRedact(
  url: URL,
  { secret, otherSecret }: SigningSecrets,
  signatures: readonly SignatureHeader[],
): string[] {
  const secrets = [secret, otherSecret?.secret ?? []].map((bytes) => Buffer.from(bytes).toString());
  const digests = signatures.flatMap(([, value]) => digestForms(value.replace(/^.*=/, "")));
  const segments = url.pathname
    .split("/")
    .filter((segment) => segment.length >= pathSegmentMin)
    .flatMap((segment) => [segment, percentDecoded(segment)])
    .filter((text) => text.length >= pathSegmentMin);
  const decoded = [...url.searchParams].map(([name, value]) => value || name);
  const sent = url.search
    .slice(1)
    .split("&")
    .map((pair) => pair.replace(/^[^=]*=(?=.)/, ""));
  const values = [...decoded, ...sent].filter((value) => value.length >= queryValueMin);
  const texts = [...secrets, ...digests, ...segments, ...values].filter((text) => text !== "");
  return [...new Set(texts)];
}

/** As the header has it, and as other libraries print a digest; without the padding, which tells nothing. */
function digestForms(hex: string): string[] {
  const bytes = Buffer.from(hex, "hex");
  return [hex, hex.toUpperCase(), bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
}

/** What is no UTF-8 is replaced, never an error. */
function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  return new URLSearchParams(`=${text.replace(/[+&]/g, encodeURIComponent)}`).get("") ?? "";
}
