import type { GetStorefrontResponse } from "#gen/registry/v1/storefront_service_pb.js";
import type { Tone } from "../components/content.ts";

/**
 * The state of a store's connection to its storefront platform. `unused`: the app was never installed, and no message
 * has arrived; `removed`: the app was removed; `attention`: orders or messages need attention; `noRules`: the store has
 * no rules, so no order gets certificates.
 */
type StorefrontState = "unused" | "removed" | "attention" | "noRules" | "works";

/** Returns the state of a connection. @param problemCount number of orders and messages that need attention */
export function storefrontState(
  storefront: Pick<GetStorefrontResponse, "installedAt" | "isClosed" | "lastMessageAt" | "rules">,
  problemCount: number,
): StorefrontState {
  const { installedAt, isClosed, lastMessageAt, rules } = storefront;
  if (isClosed) return "removed";
  if (installedAt === undefined && lastMessageAt === undefined) return "unused";
  if (problemCount > 0) return "attention";
  return rules.length === 0 ? "noRules" : "works";
}

const tones: Readonly<Record<StorefrontState, Tone>> = {
  unused: "neutral",
  removed: "bad",
  attention: "warn",
  noRules: "warn",
  works: "good",
};

export function stateTone(state: StorefrontState): Tone {
  return tones[state];
}
