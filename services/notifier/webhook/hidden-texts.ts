import type { SignatureHeader, SigningSecrets } from "./signature-headers.ts";

const queryValueMin = 4;
const pathSegmentMin = 16;

/**
 * The texts that are hidden in what a receiver replies. The signing secrets were never sent, but the receiver knows them
 * and its error page may print them, like the request with its signatures and the called address with its tokens: what
 * the query says, and what in the path is long enough for one.
 */
export function hiddenTexts(
  url: URL,
  { secret, otherSecret }: SigningSecrets,
  signatures: readonly SignatureHeader[],
): string[] {
  const secrets = [secret, otherSecret?.secret ?? []].map((bytes) => Buffer.from(bytes).toString());
  const digests = signatures.map(([, value]) => value.replace(/^.*=/, ""));
  const segments = url.pathname.split("/").filter((segment) => segment.length >= pathSegmentMin);
  const decoded = [...url.searchParams].map(([name, value]) => value || name);
  const sent = url.search
    .slice(1)
    .split("&")
    .map((pair) => pair.replace(/^[^=]*=(?=.)/, ""));
  const values = [...decoded, ...sent].filter((value) => value.length >= queryValueMin);
  return [...secrets, ...digests, ...segments, ...values].filter((text) => text !== "");
}
