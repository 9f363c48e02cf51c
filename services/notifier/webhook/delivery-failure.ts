import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";

/** Why an attempt ended without a status. The message is one sentence for the merchant: no secret, no part of the URL. */
export class DeliveryFailure extends Error {
  readonly kind: OutcomeKind;

  constructor(kind: OutcomeKind, reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = "DeliveryFailure";
    this.kind = kind;
  }
}

/** A failure of the connection, of TLS or of the protocol. */
export function connectionFailed(reason: string, cause?: unknown): DeliveryFailure {
  return new DeliveryFailure(OutcomeKind.CONNECTION_FAILED, reason, cause);
}

/** A receiver that the address guard refuses; nothing was sent to it. */
export function blocked(reason: string): DeliveryFailure {
  return new DeliveryFailure(OutcomeKind.BLOCKED, reason);
}

/** A reply that did not come in time. */
export function timedOut(reason: string): DeliveryFailure {
  return new DeliveryFailure(OutcomeKind.TIMEOUT, reason);
}

/** The failure that any error means. Texts of errors name addresses and certificates, so only their codes are shown. */
export function toDeliveryFailure(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const code = codeOf(error);
  const sentence = sentences[code] ?? sentenceOfFamily(code);
  const suffix = code === "" ? "" : ` (${code})`;
  return connectionFailed(`${sentence.slice(0, -1)}${suffix}.`, error);
}

const notFound = "The receiver's host name was not found.";
const broken = "The connection broke before the receiver's reply.";
const untrusted = "The receiver's certificate is not trusted.";

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: notFound,
  ENODATA: notFound,
  EAI_AGAIN: "The receiver's host name could not be looked up.",
  ECONNREFUSED: "The receiver refused the connection.",
  EHOSTUNREACH: "The receiver could not be reached.",
  ENETUNREACH: "The receiver could not be reached.",
  ETIMEDOUT: "The receiver could not be reached in time.",
  ECONNRESET: broken,
  EPIPE: broken,
  ERR_TLS_CERT_ALTNAME_INVALID: "The receiver's certificate is for another host name.",
  CERT_HAS_EXPIRED: "The receiver's certificate has expired.",
};

function sentenceOfFamily(code: string): string {
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code)) return "No TLS connection could be made.";
  // OpenSSL's X.509 verification errors, as Node names them.
  return /CERT|ISSUER|SIGNATURE|CRL|CA$/.test(code) ? untrusted : "The connection failed.";
}

function codeOf(error: unknown): string {
  // Happy Eyeballs reports all addresses' errors in one; they fail alike as a rule.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error) || !("code" in first) || typeof first.code !== "string") return "";
  return /^[A-Z0-9_]{1,64}$/.test(first.code) ? first.code : "";
}
