import { isIP } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";

/**
 * Begins a TLS handshake as `tls.connect` does, and checks the receiver's name (RFC 9525) with OpenSSL. Node's own check
 * works on a copy of the whole chain as JavaScript objects, whose making costs a fifth of a delivery.
 *
 * @param options `host` is what the certificate must be for: a name in ASCII, or an IP address
 * @returns the socket; it fails with `ERR_TLS_CERT_ALTNAME_INVALID` where the certificate is for another host
 */
export function connectTls(options: ConnectionOptions & { readonly host: string }): TLSSocket {
  const socket: TLSSocket = connect({
    ...options,
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED cannot say otherwise.
    rejectUnauthorized: true,
    // Called when a trusted authority vouches for the certificate, and only then.
    checkServerIdentity: (host) => (isFor(socket, host) ? undefined : new WrongIdentity()),
  });
  // The copy that Node would make for the check above, which does not look at it.
  return Object.assign(socket, { getPeerCertificate: () => ({}) });
}

function isFor(socket: TLSSocket, host: string): boolean {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return false;
  if (isIP(host) !== 0) return certificate.checkIP(host) !== undefined;
  return certificate.checkHost(host, { partialWildcards: false }) !== undefined;
}

class WrongIdentity extends Error {
  /** Node's own for it. */
  readonly code = "ERR_TLS_CERT_ALTNAME_INVALID";

  constructor() {
    super("the certificate is for another host");
  }
}
