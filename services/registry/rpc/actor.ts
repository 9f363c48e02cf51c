import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import { textLimits } from "#shared/text/text-limits.ts";

/** Name of the actor authenticated by an operator token or a session; undefined for a call with neither. */
export const authenticatedActor = createContextKey<string | undefined>(undefined);

/**
 * Returns the name that the history shows for the caller: the authenticated actor, otherwise the name that an internal
 * caller sends in the `x-actor` header, otherwise `unknown`.
 */
export function actorOf(context: HandlerContext): string {
  const name = context.values.get(authenticatedActor) ?? context.requestHeader.get("x-actor") ?? "";
  return name.replace(/\p{Cc}/gu, "").slice(0, textLimits.actor.max) || "unknown";
}
