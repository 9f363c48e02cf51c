const sequence = Buffer.from([0x30, 0x82]);
// The tag and a length of two bytes.
const headBytes = 4;
// `peer [3] EXPLICIT X509` in OpenSSL's ssl/ssl_asn1.c.
const certificateTag = 0xa3;

/**
 * Removes the receiver's certificate from a serialized TLS session: a DER sequence (OpenSSL's `i2d_SSL_SESSION`), to
 * which Node adds the host at the start. A resumed handshake does not use the certificate, but Node decodes the session
 * twice for each connection, and decoding a certificate takes an eighth of the CPU time of a delivery.
 *
 * @returns the session unchanged if it has another form, as a later version of Node or OpenSSL may give it
 */
export function sessionWithoutCertificate(session: Buffer): Buffer {
  const start = session.indexOf(sequence);
  const der = session.subarray(Math.max(0, start));
  const fields: Buffer[] = [];
  let end = headBytes;
  if (start < 0 || elementEnd(der, 0) !== der.length) return session;
  for (let at = end; at < der.length; at = end) {
    end = elementEnd(der, at);
    if (end > der.length) return session;
    if (der[at] !== certificateTag) fields.push(der.subarray(at, end));
  }
  const content = Buffer.concat(fields);
  const contentBytes = Buffer.alloc(2);
  contentBytes.writeUInt16BE(content.length);
  return Buffer.concat([session.subarray(0, start), sequence, contentBytes, content]);
}

/** Returns the end of a DER element with a tag of one byte; infinity if its length is not within 64 KiB. */
function elementEnd(der: Buffer, at: number): number {
  const [, length = 0, high = 0, low = 0] = der.subarray(at, at + 4);
  if (length < 0x80) return at + 2 + length;
  if (length === 0x81) return at + 3 + high;
  return length === 0x82 ? at + 4 + ((high << 8) | low) : Number.POSITIVE_INFINITY;
}
