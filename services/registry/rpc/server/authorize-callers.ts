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
import { type CallObserver, statusOf } from "./call-context.ts";

/** Dependencies of {@link authorizeCallers}. */
export interface AuthorizationDeps {
  /** Domain in the DNS names of the peers, which have the form `edge.<domain>`. */
  readonly domain: string;
  /** Returns the peers that may call a service's methods. */
  readonly permittedCallers: (serviceName: string) => readonly Peer[];
  /** Called for each refused call. */
  readonly observe: CallObserver;
}

// Far more than the certificates in use at once. Replaced certificates remain in the cache until they are evicted.
const rememberedMax = 1_000;

/**
 * Creates an interceptor that refuses calls with PERMISSION_DENIED unless the caller's certificate contains, in its
 * subjectAltName, the name of a peer that may call the service. Applies to every method of the server, including health
 * checks and reflection. A stream is authorized once, when it is opened.
 */
export function authorizeCallers({ domain, permittedCallers, observe }: AuthorizationDeps): ServerInterceptor {
  const remembered = new LRUCache<string, ReadonlySet<Peer>>({ max: rememberedMax });
  // Parsing a certificate takes about as long as the rest of the decision, so the result is cached.
  const callersOf = (call: ServerInterceptingCallInterface): ReadonlySet<Peer> => {
    const certificate = call.getAuthContext().sslPeerCertificate;
    if (certificate === undefined) return new Set();
    const known = remembered.get(certificate.fingerprint256);
    if (known !== undefined) return known;
    const found = peersOf(new X509Certificate(certificate.raw), domain);
    remembered.set(certificate.fingerprint256, found);
    return found;
  };
  return ({ path }, call) => {
    const [, serviceName = "", method = ""] = path.split("/");
    const permitted = permittedCallers(serviceName);
    const callers = callersOf(call);
    if (permitted.some((peer) => callers.has(peer))) return new ServerInterceptingCall(call);
    const error = refusal(serviceName, permitted, domain);
    observe({ method: `${serviceName}/${method}`, durationMs: 0, error });
    return refusing(call, error);
  };
}

function refusal(serviceName: string, permitted: readonly Peer[], domain: string): ConnectError {
  const names = permitted.map((peer) => peerName(peer, domain)).join(" or ");
  const remedy = names === "" ? "" : ` Use a certificate whose subjectAltName contains ${names}.`;
  return new ConnectError(`Your certificate does not permit calls to ${serviceName}.${remedy}`, Code.PermissionDenied);
}

function refusing(call: ServerInterceptingCallInterface, error: ConnectError): ServerInterceptingCall {
  // The headers are not passed on, so the call never reaches its handler.
  const listener = new ServerListenerBuilder().withOnReceiveMetadata(() => call.sendStatus(statusOf(error))).build();
  return new ServerInterceptingCall(call, { start: (next) => next(listener) });
}
