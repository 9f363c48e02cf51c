import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import { textLimits } from "#shared/text/text-limits.ts";

/** The caller as authenticated by the transport; undefined when the transport does not authenticate. */
export const authenticatedActor = createContextKey<string | undefined>(undefined);

/**
 * Returns the caller's name for the history: the authenticated actor, otherwise the name that an internal caller sends
 * in the header `x-actor`, otherwise `unknown`.
 */
export function actorOf(context: HandlerContext): string {
  const name = context.values.get(authenticatedActor) ?? context.requestHeader.get("x-actor") ?? "";
  return name.replace(/\p{Cc}/gu, "").slice(0, textLimits.actor.max) || "unknown";
}
