/** A place in the log of deliveries, which is ordered by time and, within one millisecond, by event. */
export interface LogPosition {
  readonly claimedAt: Date;
  readonly eventId: string;
}

/** The position as a text for the caller to give back. It holds nothing that the page does not show. */
export function pageToken({ claimedAt, eventId }: LogPosition): string {
  return Buffer.from(`${claimedAt.getTime()} ${eventId}`).toString("base64url");
}

/** Reads a page token. @returns undefined for a text that is none */
export function positionOf(token: string): LogPosition | undefined {
  const [, ms, eventId] = /^(\d{1,15}) (.+)$/s.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (ms === undefined || eventId === undefined) return undefined;
  return { claimedAt: new Date(Number(ms)), eventId };
}
