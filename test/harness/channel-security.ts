import { type GrpcCertificates, type GrpcFiles, localCertDomain } from "../../deploy/local/stack/grpc-certificates.ts";
import { type ChannelSecurity, readChannelSecurity } from "../../services/shared/rpc/grpc-tls.ts";
import type { Peer } from "../../services/shared/rpc/peer-names.ts";

/** Returns the TLS settings of a client that uses a peer's certificate. @param certificates undefined if TLS is off */
export function channelSecurityOf(certificates: GrpcCertificates | undefined, peer: Peer): ChannelSecurity | undefined {
  return certificates && channelSecurity(certificates[peer]);
}

/** Returns the TLS settings of a client that uses these files. @param domain the server must be `registry.<domain>` */
export function channelSecurity({ cert, key, ca }: GrpcFiles, domain = localCertDomain): ChannelSecurity {
  const named = (file: string) => ({ variable: "test", file });
  return readChannelSecurity({ cert: named(cert), key: named(key), ca: named(ca) }, undefined, domain);
}
