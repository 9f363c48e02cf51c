/** A webhook message as received, with the result of its signature check. */
export interface ReceivedMessage {
  /** ISO 8601. */
  readonly receivedAt: string;
  /** `X-Service-Delivery`; empty when the header is missing. */
  readonly deliveryId: string;
  readonly verified: boolean;
  readonly body: string;
}

/** The fields of a message that the receiver prints. */
export interface MessageSummary {
  readonly event: string;
  readonly certificateId: string;
  readonly serial: string;
}

/**
 * Reads the fields from an untrusted body: a missing field is "?", and each character other than printable ASCII
 * becomes "?".
 */
export function summarizeMessage(body: string): MessageSummary {
  const { event, certificate } = asObject(parse(body));
  const { id, serial } = asObject(certificate);
  return { event: printable(event), certificateId: printable(id), serial: printable(serial) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function printable(value: unknown): string {
  if (typeof value !== "string" || value === "") return "?";
  return value.replace(/[^\x20-\x7e]/g, "?").slice(0, 80);
}
