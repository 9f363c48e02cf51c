import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { Phase } from "./attempt-trace.ts";
import { connectionText, failureReason, handshakeBroken, tlsText } from "./failure-texts.ts";

/**
 * The failure of an attempt that ended without a status from the receiver. The message is for the merchant: what
 * happened, then what to do. It contains no secret, and no part of the URL but an invalid port or an internal domain.
 */
export class DeliveryFailure extends Error {
  readonly kind: OutcomeKind;

  constructor(kind: OutcomeKind, reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = "DeliveryFailure";
    this.kind = kind;
  }
}

/** Creates the failure for a connection that could not be established or that broke. */
export function connectionFailed(reason: string, cause?: unknown): DeliveryFailure {
  return new DeliveryFailure(OutcomeKind.CONNECTION_FAILED, reason, cause);
}

/**
 * Converts any error to a failure. Error messages can contain addresses and certificates, so only error codes are
 * shown.
 *
 * @param phase the current phase: an error during `tls` is a TLS failure, whatever its code
 */
export function toDeliveryFailure(error: unknown, phase?: Phase): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const code = errorCode(error);
  const ofTls = tlsText(code) ?? (phase === "tls" ? handshakeBroken : undefined);
  return ofTls === undefined
    ? connectionFailed(failureReason(connectionText(code), code), error)
    : new DeliveryFailure(OutcomeKind.TLS_FAILED, failureReason(ofTls, code), error);
}

function errorCode(error: unknown): string {
  // Node aggregates the errors of all addresses, which usually have the same cause.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error) || !("code" in first) || typeof first.code !== "string") return "";
  // One of OpenSSL's codes contains a slash: ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE.
  return /^[A-Z0-9_/]{1,64}$/.test(first.code) ? first.code : "";
}
