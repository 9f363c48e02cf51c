import type { Registry } from "prom-client";
import { ServiceError } from "#shared/errors/service-error.ts";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import type { EdgeContext } from "../http/edge-context.ts";
import { untilDeadline } from "../http/request-deadline.ts";
import type { BearerKind } from "./bearer-key.ts";
import type { KeyGuard, LookupResult } from "./key-guard.ts";

interface LookUpDeps {
  readonly keyGuard: KeyGuard;
  readonly metrics: Registry;
}

/**
 * Makes a registry call that looks a key or token up, unless the key guard rejects it.
 *
 * @param key its SHA-256 in base64
 * @param isKnown returns whether the registry knew it
 * @throws ServiceError `unauthorized` or `rate_limited` if the guard rejects it; `unavailable` if another lookup of it
 * does not end in time; or the error of `call`
 */
export type LookUpKey = <T>(
  ctx: Pick<EdgeContext, "state">,
  kind: BearerKind,
  key: string,
  lookup: { readonly call: () => Promise<T>; readonly isKnown: (response: T) => boolean },
) => Promise<T>;

/** Creates a {@link LookUpKey} that counts what was rejected in `edge_bad_keys_total`. */
export function createKeyLookup({ keyGuard, metrics }: LookUpDeps): LookUpKey {
  const countBadKey = createLabelledCounter(metrics, {
    name: "edge_bad_keys_total",
    help: "Requests with a well-formed API key or listen token that was rejected: by the registry (looked_up), because a recent lookup found it unknown (remembered), or because the client sent too many unknown ones (limited).",
    label: "how",
    values: ["looked_up", "remembered", "limited"],
  });
  const requireUnblocked = (ctx: Pick<EdgeContext, "state">, { unknown, tooMany }: BearerKind, key: string) => {
    const decision = keyGuard.check(key, ctx.state.client.networks);
    if (decision.kind === "lookup") return decision;
    if (decision.kind === "unknown") {
      countBadKey("remembered");
      throw unknown;
    }
    countBadKey("limited");
    // Not 401: the key may be valid, and "create a new key" would be the wrong remedy.
    throw new ServiceError("rate_limited", tooMany, { retryAfterSeconds: decision.waitSeconds });
  };
  return async (ctx, kind, key, { call, isKnown }) => {
    // Again after a lookup that failed: one of those that waited for it makes the next.
    for (let pending = keyGuard.pendingLookup(key); pending !== undefined; pending = keyGuard.pendingLookup(key))
      await untilDeadline(ctx.state, pending);
    const { settle } = requireUnblocked(ctx, kind, key);
    let result: LookupResult = "undecided";
    try {
      const response = await call();
      result = isKnown(response) ? "known" : "unknown";
      if (result === "unknown") countBadKey("looked_up");
      return response;
    } finally {
      settle(result === "undecided" && ctx.state.clientSignal.aborted ? "left" : result);
    }
  };
}
