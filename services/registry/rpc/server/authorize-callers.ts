import { X509Certificate } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  ServerListenerBuilder,
} from "@grpc/grpc-js";
import { LRUCache } from "lru-cache";
import { type Peer, peerName, peersOf } from "#shared/rpc/peer-names.ts";
import type { PermittedCallers } from "../method-access.ts";
import { type CallObserver, statusOf } from "./call-context.ts";

/** Returns the peers that the certificate of a call's connection identifies. */
export type PeersOfCall = (call: Pick<ServerInterceptingCallInterface, "getAuthContext">) => ReadonlySet<Peer>;

interface AuthorizationDeps {
  /** Domain in the DNS names of the peers, which have the form `edge.<domain>`. */
  readonly domain: string;
  readonly peersOfCall: PeersOfCall;
  readonly permittedCallers: PermittedCallers;
  /** Called for each refused call. */
  readonly observe: CallObserver;
}

// Far more than the certificates in use at once. Replaced certificates remain in the cache until they are evicted.
const rememberedMax = 1_000;

/** Reads the peers from the callers' certificates. @param domain of the peers' names: `edge.<domain>` */
export function readPeers(domain: string): PeersOfCall {
  const remembered = new LRUCache<string, ReadonlySet<Peer>>({ max: rememberedMax });
  // Parsing a certificate takes about as long as the rest of the decision, so the result is cached.
  return (call) => {
    const certificate = call.getAuthContext().sslPeerCertificate;
    if (certificate === undefined) return new Set();
    const known = remembered.get(certificate.fingerprint256);
    if (known !== undefined) return known;
    const found = peersOf(new X509Certificate(certificate.raw), domain);
    remembered.set(certificate.fingerprint256, found);
    return found;
  };
}

/**
 * Creates an interceptor that refuses calls with PERMISSION_DENIED unless the caller's certificate contains, in its
 * subjectAltName, the name of a peer that may call the method. Applies to every method of the server, including health
 * checks and reflection. A stream is authorized once, when it is opened.
 */
export function authorizeCallers(deps: AuthorizationDeps): ServerInterceptor {
  const { domain, peersOfCall, permittedCallers, observe } = deps;
  return ({ path }, call) => {
    const method = path.slice(1);
    const permitted = permittedCallers(method);
    const callers = peersOfCall(call);
    if (permitted.some((peer) => callers.has(peer))) return new ServerInterceptingCall(call);
    const error = refusal(method, permitted, domain);
    // Not a name that the caller has invented: the server refuses an unknown method before it calls interceptors.
    observe({ method, durationMs: 0, error });
    return refusing(call, error);
  };
}

function refusal(method: string, permitted: readonly Peer[], domain: string): ConnectError {
  const names = permitted.map((peer) => peerName(peer, domain)).join(" or ");
  const remedy = names === "" ? "" : ` Use a certificate whose subjectAltName contains ${names}.`;
  return new ConnectError(`Your certificate does not permit calls to ${method}.${remedy}`, Code.PermissionDenied);
}

function refusing(call: ServerInterceptingCallInterface, error: ConnectError): ServerInterceptingCall {
  // The headers are not passed on, so the call never reaches its handler.
  const listener = new ServerListenerBuilder().withOnReceiveMetadata(() => call.sendStatus(statusOf(error))).build();
  return new ServerInterceptingCall(call, { start: (next) => next(listener) });
}
