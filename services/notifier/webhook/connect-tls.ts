import { isIP } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";

/**
 * Starts a TLS handshake like `tls.connect`, but verifies the host name (RFC 9525) with OpenSSL. Node's own check first
 * converts the whole certificate chain to JavaScript objects, which costs a fifth of the CPU of a delivery.
 *
 * @param options `host` is the identity to verify: an ASCII name or an IP address
 * @returns the socket; it fails with `ERR_TLS_CERT_ALTNAME_INVALID` if the certificate is for another host
 */
export function connectTls(options: ConnectionOptions & { readonly host: string }): TLSSocket {
  const socket: TLSSocket = connect({
    ...options,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    rejectUnauthorized: true,
    // Called only if the certificate chain is trusted.
    checkServerIdentity: (host) => (matchesHost(socket, host) ? undefined : hostMismatch()),
  });
  // Node would otherwise convert the chain before it calls checkServerIdentity, which does not need the result.
  return Object.assign(socket, { getPeerCertificate: () => ({}) });
}

function matchesHost(socket: TLSSocket, host: string): boolean {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return false;
  if (isIP(host) !== 0) return certificate.checkIP(host) !== undefined;
  // A common name that looks like a host is not an identity (RFC 9525 §2); by default OpenSSL falls back to it.
  return certificate.checkHost(host, { partialWildcards: false, subject: "never" }) !== undefined;
}

/** Creates an error with the code of Node's own check. */
function hostMismatch(): Error {
  const error = new Error("the certificate is for another host");
  return Object.assign(error, { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
}
