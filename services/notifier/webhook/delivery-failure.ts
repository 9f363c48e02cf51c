import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { Reason } from "#shared/reasons/reason.ts";
import type { Phase } from "./attempt-trace.ts";
import { connectionReason, reasonOfError, tlsReason } from "./failure-reasons.ts";

/**
 * The failure of an attempt that ended without a status from the receiver. Its reason contains no secret, and no
 * part of the URL but an invalid port or an internal domain.
 */
export class DeliveryFailure extends Error {
  readonly kind: OutcomeKind;
  readonly reason: Reason;

  constructor(kind: OutcomeKind, reason: Reason, cause?: unknown) {
    super(reason.code, { cause });
    this.name = "DeliveryFailure";
    this.kind = kind;
    this.reason = reason;
  }
}

/** Creates the failure for a connection that could not be established or that broke. */
export function connectionFailed(reason: Reason, cause?: unknown): DeliveryFailure {
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
  const ofTls = tlsReason(code) ?? (phase === "tls" ? "tls_handshake_broken" : undefined);
  return ofTls === undefined
    ? connectionFailed(reasonOfError(connectionReason(code), code), error)
    : new DeliveryFailure(OutcomeKind.TLS_FAILED, reasonOfError(ofTls, code), error);
}

function errorCode(error: unknown): string {
  // Node aggregates the errors of all addresses, which usually have the same cause.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error) || !("code" in first) || typeof first.code !== "string") return "";
  // One of OpenSSL's codes contains a slash: ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE.
  return /^[A-Z0-9_/]{1,64}$/.test(first.code) ? first.code : "";
}
