/** Returns bytes as base64 text, which compares by value as the key of a Map or a Set. */
export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
