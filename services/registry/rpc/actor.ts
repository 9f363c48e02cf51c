import { createContextKey, type HandlerContext } from "@connectrpc/connect";

const nameMax = 100;

/** Who calls, as the caller's credentials say; set where a transport knows them. Undefined where none does. */
export const authenticatedActor = createContextKey<string | undefined>(undefined);

/**
 * Who calls, for the history: as authenticated, else as an inside caller names itself in the header `x-actor`, else
 * `unknown`.
 */
export function actorOf(context: HandlerContext): string {
  const named = context.values.get(authenticatedActor) ?? context.requestHeader.get("x-actor") ?? "";
  return named.replace(/\p{Cc}/gu, "").slice(0, nameMax) || "unknown";
}
