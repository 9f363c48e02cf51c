const opening = Buffer.from('{"certificates":[');
const comma = Buffer.from(",");

/**
 * Builds the body of a page (INTERFACE.md §2.6), UTF-8, without parsing the certificates: the registry renders each one once,
 * for the list and for webhooks.
 */
export function listReplyBody(certificates: readonly Uint8Array[], nextCursor: string | undefined): Buffer {
  const separated = certificates.flatMap((bytes, index) => (index === 0 ? [bytes] : [comma, bytes]));
  const closing = Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor ?? null)}}`);
  return Buffer.concat([opening, ...separated, closing]);
}
