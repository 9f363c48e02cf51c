import type { IncomingHttpHeaders } from "node:http";

/** A webhook message as received, with the result of its signature check. */
export interface ReceivedMessage {
  /** ISO 8601. */
  readonly receivedAt: string;
  /** Value of `X-Service-Delivery`; the empty string when the header is missing. */
  readonly deliveryId: string;
  /** The header `content-type`, and those whose names begin with `x-service-` or `webhook-`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly verified: boolean;
  readonly body: string;
}

/** Returns the headers that {@link ReceivedMessage.headers} keeps; headers with an empty value are omitted. */
export function messageHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const isKept = (name: string) => /^(content-type$|x-service-|webhook-)/.test(name);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (isKept(name) && value ? [[name, value.toString()]] : [])),
  );
}

/** The fields of a message's body that the receiver shows. */
export type MessageSummary = ReturnType<typeof summarizeMessage>;

/**
 * Reads the fields from an untrusted body: a field that is missing, empty or not a string is "?", each character other
 * than printable ASCII becomes "?", and only the first 80 characters are kept.
 */
export function summarizeMessage(body: string) {
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
