/** The parts of a message for the merchant. The problem has no full stop, because an error code can follow it. */
export type FailureText = readonly [problem: string, remedy: string];

/** The text for a connection that broke during the TLS handshake without a fatal TLS alert. */
export const handshakeBroken: FailureText = [
  "The connection broke during the TLS handshake",
  "Check the TLS configuration and the logs of the server.",
];

const notFound: FailureText = [
  "The receiver's host name was not found",
  "Check the webhook URL and the DNS records of the host.",
];
const checkNetwork = "Check the network and the firewall of the server.";
const unreachable: FailureText = ["The receiver is unreachable", checkNetwork];
const broken: FailureText = [
  "The connection broke before the receiver replied",
  "Check the logs of the server for a crash or a restart.",
];
const otherConnectionFailure: FailureText = [
  "The connection to the receiver failed",
  "Check that the webhook URL is reachable from the internet.",
];

/** The text for a failed DNS query; ENOTFOUND and ENODATA have texts of their own. */
export const notResolved: FailureText = [
  "The receiver's host name could not be resolved",
  "Check the name servers of the domain.",
];

const connectionTexts: Readonly<Record<string, FailureText>> = {
  ENOTFOUND: notFound,
  ENODATA: ["The receiver's host name has no IP address", "Check the DNS records of the host."],
  EAI_AGAIN: notResolved,
  ECONNREFUSED: [
    "The receiver refused the connection",
    "Check that the server is running and that the webhook URL has the correct port.",
  ],
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: ["The connection to the receiver timed out", checkNetwork],
  ECONNRESET: broken,
  EPIPE: broken,
};

const replaceCertificate = "Install a valid certificate from a publicly trusted authority.";
const untrusted: FailureText = ["The receiver's certificate is not trusted", replaceCertificate];
const unknownIssuer: FailureText = [
  "The receiver's certificate is not trusted",
  "Use a publicly trusted authority, and configure the server to send all intermediate certificates.",
];
const oldVersions: FailureText = [
  "The receiver does not support TLS 1.2 or later",
  "Enable TLS 1.2 or TLS 1.3 on the server.",
];
const otherTlsFailure: FailureText = [
  "The TLS handshake failed",
  "Check the protocol versions, cipher suites and certificate of the server.",
];

const tlsTexts: Readonly<Record<string, FailureText>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "The receiver's certificate is not valid for the host of the webhook URL",
    "Install a certificate whose subject alternative names include this host.",
  ],
  CERT_HAS_EXPIRED: ["The receiver's certificate has expired", "Renew the certificate."],
  CERT_NOT_YET_VALID: ["The receiver's certificate is not valid yet", "Install a certificate that is already valid."],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["The receiver's certificate is self-signed", replaceCertificate],
  SELF_SIGNED_CERT_IN_CHAIN: [
    "The receiver's certificate was not issued by a publicly trusted authority",
    replaceCertificate,
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  ERR_SSL_WRONG_VERSION_NUMBER: [
    "The receiver does not use TLS on this port",
    "Enter the HTTPS port of the server in the webhook URL.",
  ],
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: oldVersions,
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldVersions,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: [
    "The receiver does not support HTTP/1.1",
    "Enable HTTP/1.1 on the server.",
  ],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: [
    "The receiver requires a client certificate, which is not supported",
    "Verify the signature of the messages instead.",
  ],
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: [
    "The receiver does not recognize the host name",
    "Configure the server for the host name in the webhook URL.",
  ],
};

/** Returns the text for a connection that failed. @param code the error's code; may be the empty string */
export function connectionText(code: string): FailureText {
  return connectionTexts[code] ?? otherConnectionFailure;
}

/** Returns the text for the code of a TLS error; undefined for any other code. */
export function tlsText(code: string): FailureText | undefined {
  const text = tlsTexts[code];
  if (text !== undefined) return text;
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code)) return otherTlsFailure;
  // OpenSSL's X.509 verification errors, as Node names them.
  return /CERT|ISSUER|SIGNATURE|CRL|CA$/.test(code) ? untrusted : undefined;
}

/** Composes the message that the merchant sees. @param code shown in parentheses unless it is the empty string */
export function failureReason([problem, remedy]: FailureText, code = ""): string {
  return `${problem}${code === "" ? "" : ` (${code})`}. ${remedy}`;
}
