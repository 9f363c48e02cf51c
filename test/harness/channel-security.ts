import {
  type GrpcCertificates,
  type GrpcFiles,
  localCertDomain,
} from "../../deploy/local/certificates/grpc-certificates.ts";
import { type ChannelSecurity, readChannelSecurity } from "../../services/shared/rpc/grpc-tls.ts";
import { type Peer, peerName } from "../../services/shared/rpc/peer-names.ts";

/** Returns the TLS settings of a client that identifies itself as a peer. @param certificates undefined: no TLS */
export function channelSecurityOf(certificates: GrpcCertificates | undefined, peer: Peer): ChannelSecurity | undefined {
  return certificates && channelSecurity(certificates[peer], peerName(peer, localCertDomain));
}

/** Returns the TLS settings of a client. @param name a name that its certificate contains; default: any */
export function channelSecurity({ cert, key, ca }: GrpcFiles, name?: string): ChannelSecurity {
  const named = (file: string) => ({ variable: "test", file });
  return readChannelSecurity({ cert: named(cert), key: named(key), ca: named(ca) }, name, localCertDomain);
}
