/** A position in the delivery log, which is ordered by claim time and, within a millisecond, by event id. */
export interface LogPosition {
  readonly claimedAt: Date;
  readonly eventId: string;
}

/** Encodes a position as an opaque page token. It reveals nothing that the page does not show. */
export function pageToken({ claimedAt, eventId }: LogPosition): string {
  return Buffer.from(`${claimedAt.getTime()} ${eventId}`).toString("base64url");
}

/** Decodes a page token. @returns undefined for an invalid token */
export function positionOf(token: string): LogPosition | undefined {
  const [, ms, eventId] = /^(\d{1,15}) (.+)$/s.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (ms === undefined || eventId === undefined) return undefined;
  return { claimedAt: new Date(Number(ms)), eventId };
}
