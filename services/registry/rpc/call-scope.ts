import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { NewSession, Session } from "../sessions/sessions.ts";
import type { ChangeOrigin } from "../stores/store-history.ts";
import { notFound } from "../values/not-found.ts";
import { actorOf } from "./actor.ts";

/** What a call concerns: one existing store, a store that it may create, or none that the caller names. */
type CallScope =
  | { readonly storeId: string; readonly session?: NewSession }
  | { readonly mayCreate: (shop: string) => boolean }
  | "no_store";

/** The scope of a call, which `ScopeResolver` sets before the handler runs. */
export const callScope = createContextKey<CallScope>("no_store");

/** Returns the id of the one store that a call concerns. @throws Error for a method of another scope than ONE_STORE */
export function storeOf({ values }: Pick<HandlerContext, "values">): string {
  const scope = values.get(callScope);
  if (scope === "no_store" || !("storeId" in scope)) throw new Error("the scope of the method is not ONE_STORE");
  return scope.storeId;
}

/** Returns the session of a call by a merchant. @throws Error if an operator makes the call */
export function sessionOf({ values }: Pick<HandlerContext, "values">): Session {
  const scope = values.get(callScope);
  if (scope === "no_store" || !("session" in scope)) throw new Error("the call is not in a session");
  return scope.session;
}

/**
 * Checks that the caller may create a store with this domain.
 *
 * @throws ServiceError `not_found` if the caller is limited to other stores
 * @throws Error for a method of another scope than NEW_STORE
 */
export function requireMayCreate({ values }: Pick<HandlerContext, "values">, shop: string): void {
  const scope = values.get(callScope);
  if (scope === "no_store" || !("mayCreate" in scope)) throw new Error("the scope of the method is not NEW_STORE");
  if (!scope.mayCreate(shop)) throw notFound("store");
}

/** Returns the store that a call concerns, as {@link storeOf} does, and the name that histories show for the caller. */
export function storeAndActorOf(context: HandlerContext): ChangeOrigin {
  const scope = context.values.get(callScope);
  const session = typeof scope === "object" && "session" in scope ? scope.session.tokenHash : undefined;
  return { storeId: storeOf(context), actor: actorOf(context), session };
}
