import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { Step } from "./attempt-trace.ts";
import { connectionSentence, handshakeBroken, tlsSentence } from "./failure-sentences.ts";

/** Why an attempt ended without a status. The message is one sentence for the merchant: no secret, no part of the URL. */
export class DeliveryFailure extends Error {
  readonly kind: OutcomeKind;

  constructor(kind: OutcomeKind, reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = "DeliveryFailure";
    this.kind = kind;
  }
}

/** A connection that could not be made, or broke. */
export function connectionFailed(reason: string, cause?: unknown): DeliveryFailure {
  return new DeliveryFailure(OutcomeKind.CONNECTION_FAILED, reason, cause);
}

/** A receiver that the address guard refuses; nothing was sent to it. */
export function blocked(reason: string): DeliveryFailure {
  return new DeliveryFailure(OutcomeKind.BLOCKED, reason);
}

/** A TLS handshake that failed, or a certificate that is not valid. */
export function tlsFailed(reason: string, cause?: unknown): DeliveryFailure {
  return new DeliveryFailure(OutcomeKind.TLS_FAILED, reason, cause);
}

/** A message that was not taken, or a reply that did not come, in time. */
export function timedOut(reason: string): DeliveryFailure {
  return new DeliveryFailure(OutcomeKind.TIMEOUT, reason);
}

/** A reply that is none. */
export function protocolError(reason: string): DeliveryFailure {
  return new DeliveryFailure(OutcomeKind.PROTOCOL_ERROR, reason);
}

/**
 * The failure that any error means. Texts of errors name addresses and certificates, so only their codes are shown.
 *
 * @param step what was under way: what breaks a TLS handshake is a failure of TLS, whatever its code
 */
export function toDeliveryFailure(error: unknown, step?: Step): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const code = codeOf(error);
  const withCode = (sentence: string) => (code === "" ? sentence : `${sentence.slice(0, -1)} (${code}).`);
  const ofTls = tlsSentence(code) ?? (step === "tls" ? handshakeBroken : undefined);
  return ofTls === undefined
    ? connectionFailed(withCode(connectionSentence(code)), error)
    : tlsFailed(withCode(ofTls), error);
}

function codeOf(error: unknown): string {
  // Happy Eyeballs reports all addresses' errors in one; they fail alike as a rule.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error) || !("code" in first) || typeof first.code !== "string") return "";
  // OpenSSL has one with a slash: ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE.
  return /^[A-Z0-9_/]{1,64}$/.test(first.code) ? first.code : "";
}
