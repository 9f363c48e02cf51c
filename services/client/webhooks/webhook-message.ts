import { type Certificate, isCertificate, isObject } from "../certificate.ts";

/** The event names (INTERFACE.md §6); a later release may add more. */
export type EventName =
  | "issued"
  | "verified"
  | "transferred"
  | "reported"
  | "revoked"
  | "reactivated"
  // Keeps editor completion for the names above.
  | (string & {});

interface AnyMessage {
  readonly event: EventName;
  /** The store's domain on the storefront platform. */
  readonly shop: string;
  readonly occurredAt: string;
}

/** A message in format v2, with the certificate after the change or, in a redelivery, in its current state. */
export interface FullMessage extends AnyMessage {
  readonly version: 2;
  readonly certificate: Certificate;
}

/** A message in format v1, with only the certificate's id and serial number. */
export interface ShortMessage extends AnyMessage {
  readonly version: 1;
  readonly certificate: Pick<Certificate, "id" | "serial">;
}

/** A webhook message (INTERFACE.md §4.2). */
export type WebhookMessage = FullMessage | ShortMessage;

/** Returns whether a message is a test, whose certificate is a sample that must not be stored. */
export function isTestMessage({ certificate }: Pick<WebhookMessage, "certificate">): boolean {
  return certificate.id.startsWith("smp_");
}

/** Parses a message. @returns undefined if the body is not a message in format v1 or v2 */
export function parseMessage(rawBody: Uint8Array): WebhookMessage | undefined {
  try {
    const message: unknown = JSON.parse(new TextDecoder().decode(rawBody));
    return isMessage(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is WebhookMessage {
  if (!isObject(value) || typeof value.event !== "string" || typeof value.occurredAt !== "string") return false;
  const { version, certificate } = value;
  if (version === 2) return isCertificate(certificate);
  if (version !== 1 || !isObject(certificate)) return false;
  return typeof certificate.id === "string" && typeof certificate.serial === "string";
}
