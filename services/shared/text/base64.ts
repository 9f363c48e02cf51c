/** Encodes bytes as base64, for keys of a Map or a Set: byte arrays with equal content would be different keys. */
export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
