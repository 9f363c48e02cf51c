import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import { ServiceError } from "#shared/errors/service-error.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import type { Peer } from "#shared/rpc/peer-names.ts";
import { sessionHeader, storeHeader } from "#shared/rpc/scope-metadata.ts";
import type { CallLimits } from "../load/call-limits.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import { secretHash } from "../sessions/session-secrets.ts";
import { type Sessions, signedOut } from "../sessions/sessions.ts";
import type { KnownStores } from "../stores/known-stores.ts";
import { notFound } from "../values/not-found.ts";
import { authenticatedActor } from "./actor.ts";
import { callScope } from "./call-scope.ts";
import { accessOf, type MethodAccess } from "./method-access.ts";

/** The caller, as its certificate or its operator token identifies it. */
export interface Caller {
  readonly peers: ReadonlySet<Peer>;
  /** Domains of the stores to which the caller is limited; undefined if it may use all stores. */
  readonly shops?: readonly string[] | undefined;
}

/** A call before its handler runs. */
interface IncomingCall {
  readonly method: DescMethod;
  readonly header: Pick<Headers, "get">;
  readonly caller: Caller;
  /** Receives the scope and, in a session, the actor. */
  readonly values: ContextValues;
}

const knownSessionsMax = 10_000;

interface ScopeDeps {
  readonly sessions: Pick<Sessions, "find">;
  readonly knownStores: KnownStores;
  /** Bounds the calls in sessions that read, per store and in total. */
  readonly sessionCalls: Pick<LoadShedder, "run">;
  /** Bounds those that change something. */
  readonly sessionChanges: Pick<LoadShedder, "run">;
}

/**
 * Determines the store that each call concerns, over gRPC and over HTTP/JSON, before its handler runs. Operators name
 * the store in the call's metadata; in a merchant's session it is the session's store, whatever the call contains.
 */
export class ScopeResolver {
  readonly #deps: ScopeDeps;
  readonly #accesses: ReadonlyMap<DescMethod, MethodAccess>;
  // The store of a session never changes. By the hash of its token.
  readonly #sessionStores = new LRUCache<string, string>({ max: knownSessionsMax });

  constructor(services: readonly DescService[], deps: ScopeDeps) {
    this.#deps = deps;
    this.#accesses = new Map(services.flatMap(({ methods }) => methods.map((method) => [method, accessOf(method)])));
  }

  /**
   * Refuses a call whose metadata the caller may not send.
   *
   * @returns the access of the method, the named store and the session's token; null for what the metadata lacks
   * @throws ConnectError PERMISSION_DENIED if the caller may not name a store, or may not call the method in a session
   * @throws ServiceError `bad_request` for a store together with a session
   */
  check({ method, header, caller }: Omit<IncomingCall, "values">) {
    const access = this.#accessOf(method);
    const named = header.get(storeHeader);
    const token = header.get(sessionHeader);
    if (named !== null && !caller.peers.has("operator"))
      throw denied(`Only operators name a store in the metadata ${storeHeader}.`);
    if (named !== null && token !== null)
      throw new ServiceError("bad_request", `Send either ${storeHeader} or ${sessionHeader}, not both.`);
    if (token !== null && !(caller.peers.has("edge") && access.callers.includes("merchant")))
      throw denied(`${methodName(method)} cannot be called in a session.`);
    return { access, named, token };
  }

  /**
   * Resolves the scope of a call, and runs its handler. A call in a session takes a place among those of its store. A
   * method that reads keeps it until the handler ends, one that changes something runs in the places of changes, and a
   * search in a queue of its own: if a change kept its place while it waits for the locks of a killed replica, a few
   * stores would use up the places of all sessions.
   *
   * @throws LoadShedError, an `unavailable` ServiceError, if a call in a session finds no place in time; otherwise as
   * {@link resolve}, or the handler's error
   */
  async run<T>(call: IncomingCall, limits: () => CallLimits, handler: () => Promise<T>): Promise<T> {
    const token = call.header.get(sessionHeader);
    const resolveAndHandle = () => this.resolve(call).then(handler);
    if (token === null) return resolveAndHandle();
    const tokenHash = secretHash(token);
    const request = { store: this.#sessionStores.get(tokenHash) ?? tokenHash, ...limits() };
    const { work } = this.#accessOf(call.method);
    if (work === "read") return this.#deps.sessionCalls.run(request, resolveAndHandle);
    await this.#deps.sessionCalls.run(request, () => this.resolve(call));
    if (work === "search") return handler();
    const store = this.#sessionStores.get(tokenHash) ?? tokenHash;
    return this.#deps.sessionChanges.run({ store, ...limits() }, handler);
  }

  /**
   * Sets the scope of a call in its context values; in a session, also the authenticated actor.
   *
   * @throws ConnectError PERMISSION_DENIED as {@link check}
   * @throws ServiceError `unauthorized` without a valid session or for a token that is limited to certain stores,
   * `not_found` for a store that does not exist or that the caller may not use, `bad_request` for a store that is
   * missing or superfluous
   */
  async resolve(call: IncomingCall): Promise<void> {
    const { caller, values } = call;
    const { access, named, token } = this.check(call);
    if (token !== null) {
      const tokenHash = secretHash(token);
      const session = await this.#deps.sessions.find(tokenHash);
      if (session === undefined) throw signedOut();
      const { storeId } = session;
      this.#sessionStores.set(tokenHash, storeId);
      values.set(callScope, { storeId, session: { ...session, tokenHash } }).set(authenticatedActor, session.actor);
      return;
    }
    if (access.callers.every((one) => one === "merchant" || !caller.peers.has(one))) throw signedOut();
    if (access.scope === "one_store") {
      if (named === null || named === "")
        throw new ServiceError("bad_request", `Name the store by its id or its domain in the metadata ${storeHeader}.`);
      values.set(callScope, { storeId: await this.#findStore(named, caller) });
    } else requireNoStore(access, named, caller);
    if (access.scope === "new_store") values.set(callScope, { mayCreate: (shop) => mayUse(caller, shop) });
  }

  #accessOf(method: DescMethod): MethodAccess {
    return this.#accesses.get(method) ?? accessOf(method);
  }

  async #findStore(named: string, caller: Caller): Promise<string> {
    // Ids contain no dot, and domains contain no underscore.
    const selector = named.startsWith("sto_") ? { storeId: named } : { shop: named };
    const { id, shop } = await this.#deps.knownStores.find(selector);
    if (!mayUse(caller, shop)) throw notFound("store");
    return id;
  }
}

function mayUse({ shops }: Caller, shop: string): boolean {
  return shops === undefined || shops.includes(shop);
}

function requireNoStore({ scope }: MethodAccess, named: string | null, { shops }: Caller): void {
  if (scope === "all_stores" && shops !== undefined)
    throw new ServiceError(
      "unauthorized",
      "The call concerns all stores, but the token is limited to certain stores. Use a token for all stores.",
    );
  if (named !== null)
    throw new ServiceError("bad_request", `The call does not concern one store. Omit the metadata ${storeHeader}.`);
}

function denied(message: string): ConnectError {
  return new ConnectError(message, Code.PermissionDenied);
}
