/** A position in a log that is ordered by time and, within a millisecond, by id. */
export interface LogPlace {
  readonly at: Date;
  readonly id: string;
}

/** Encodes a position as an opaque page token. The token reveals nothing that the page does not show. */
export function encodePageToken({ at, id }: LogPlace): string {
  return Buffer.from(`${at.getTime()} ${id}`).toString("base64url");
}

/** Decodes a page token; returns undefined for an invalid token. */
export function decodePageToken(token: string): LogPlace | undefined {
  const [, ms, id] = /^(\d{1,15}) (.+)$/s.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (ms === undefined || id === undefined) return undefined;
  return { at: new Date(Number(ms)), id };
}
