/** One message as it came. */
export interface ReceivedMessage {
  /** ISO 8601. */
  readonly receivedAt: string;
  /** `X-Service-Delivery`; empty when there was none. */
  readonly deliveryId: string;
  readonly verified: boolean;
  /** The raw text. */
  readonly body: string;
}

/** What people want to see of a message. */
export interface MessageFacts {
  readonly event: string;
  readonly certificateId: string;
  readonly serial: string;
}

/** Reads the facts from a body. It may come from anyone: what is missing is "?", and what is shown is printable. */
export function factsOf(body: string): MessageFacts {
  const { event, certificate } = objectOf(parse(body));
  const { id, serial } = objectOf(certificate);
  return { event: shown(event), certificateId: shown(id), serial: shown(serial) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function shown(value: unknown): string {
  if (typeof value !== "string" || value === "") return "?";
  return value.replace(/[^\x20-\x7e]/g, "?").slice(0, 80);
}
