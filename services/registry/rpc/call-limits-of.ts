import type { HandlerContext } from "@connectrpc/connect";
import { steadyClock } from "#shared/time/clock.ts";
import type { CallLimits } from "../load/call-limits.ts";

/** Returns the deadline and the cancellation signal of a call. Without a timeout, the deadline is infinite. */
export function callLimitsOf({ signal, timeoutMs }: Pick<HandlerContext, "signal" | "timeoutMs">): CallLimits {
  return { deadline: steadyClock.now() + (timeoutMs() ?? Number.POSITIVE_INFINITY), signal };
}
