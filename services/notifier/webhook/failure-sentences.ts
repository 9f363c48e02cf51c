/** A TLS handshake that ended without a word of TLS. */
export const handshakeBroken = "The connection broke during the TLS handshake.";

const notFound = "The receiver's host name was not found.";
const broken = "The connection broke before the receiver's reply.";
const unreachable = "The receiver could not be reached.";

const connectionSentences: Readonly<Record<string, string>> = {
  ENOTFOUND: notFound,
  ENODATA: notFound,
  EAI_AGAIN: "The receiver's host name could not be looked up.",
  ECONNREFUSED: "The receiver refused the connection.",
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: "The receiver could not be reached in time.",
  ECONNRESET: broken,
  EPIPE: broken,
};

const untrusted = "The receiver's certificate is not trusted.";
const noIssuer =
  "The receiver's certificate is not trusted: its authority is not publicly known, or an intermediate certificate is missing.";
const unknownIssuer = "The receiver's certificate is not trusted: its authority is not publicly known.";
const oldVersions = "The receiver speaks no version of TLS from 1.2 on.";

const tlsSentences: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: "The receiver's certificate is for another host name.",
  CERT_HAS_EXPIRED: "The receiver's certificate has expired.",
  CERT_NOT_YET_VALID: "The receiver's certificate is not valid yet.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The receiver's certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: noIssuer,
  UNABLE_TO_GET_ISSUER_CERT: noIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: noIssuer,
  ERR_SSL_WRONG_VERSION_NUMBER: "The receiver does not speak TLS on this port.",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: oldVersions,
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldVersions,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: "The receiver does not speak HTTP/1.1.",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "The receiver asks for a client certificate, and none is sent.",
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: "The receiver does not know the host name.",
};

/** What an error's code means for a connection, as one sentence for the merchant. @param code may be empty */
export function connectionSentence(code: string): string {
  return connectionSentences[code] ?? "The connection failed.";
}

/** What an error's code says about TLS, as one sentence for the merchant; undefined for a code that is not of TLS. */
export function tlsSentence(code: string): string | undefined {
  const sentence = tlsSentences[code];
  if (sentence !== undefined) return sentence;
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code)) return "No TLS connection could be made.";
  // OpenSSL's X.509 verification errors, as Node names them.
  return /CERT|ISSUER|SIGNATURE|CRL|CA$/.test(code) ? untrusted : undefined;
}
