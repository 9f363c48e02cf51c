import { Admission, type HandleListResponse, type RateLimit } from "#gen/registry/v1/edge_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { unknownKey } from "./bearer-key.ts";
import type { BudgetRefusal } from "./plan-refusals.ts";

/** The part of the registry's response that admits or refuses a request. */
export type AdmissionResponse = Pick<HandleListResponse, "admission" | "storeId" | "rateLimit">;

interface AdmissionReply {
  /** Undefined for an admitted request. */
  readonly refusal?: ServiceError;
  readonly headers: Readonly<Record<string, string>>;
}

const planRequired = new ServiceError(
  "plan_required",
  "The API requires the Pro plan. Upgrade the store's plan; your existing key then works immediately.",
);

/**
 * Converts the registry's admission to response headers and, for a refused request, an error (INTERFACE.md §5, §7, §8).
 *
 * @throws Error for an inconsistent or unknown admission, so that no request is admitted by mistake
 */
export function admissionReply({ admission, storeId, rateLimit }: AdmissionResponse): AdmissionReply {
  switch (admission) {
    case Admission.ADMITTED:
      if (storeId === "") throw new Error("the registry admitted a request without naming its store");
      return { headers: rateLimitHeaders(required(rateLimit)) };
    case Admission.UNKNOWN_KEY:
      return { refusal: unknownKey, headers: {} };
    case Admission.PLAN_REQUIRED:
      return { refusal: planRequired, headers: rateLimit ? rateLimitHeaders(rateLimit) : {} };
    case Admission.RATE_LIMITED: {
      const limit = required(rateLimit);
      return {
        refusal: new ServiceError(
          "rate_limited",
          `You have exceeded the limit of ${limit.limit} requests per ${limit.windowSeconds} seconds. Wait for the number of seconds in Retry-After, then retry; cache results to send fewer requests.`,
          { retryAfterSeconds: Math.max(1, limit.resetSeconds) },
        ),
        headers: rateLimitHeaders(limit),
      };
    }
    default:
      throw new Error(`the registry sent an unknown admission ${admission}`);
  }
}

/** Returns the response headers for a key that has used up its budget of `plan_required` refusals. */
export function planBudgetHeaders({ rate, waitSeconds }: BudgetRefusal): Readonly<Record<string, string>> {
  return rateLimitHeaders({ ...rate, remaining: 0, resetSeconds: waitSeconds });
}

// draft-ietf-httpapi-ratelimit-headers: two structured fields, each a list with one item, for the policy "default".
function rateLimitHeaders(
  limit: Pick<RateLimit, "limit" | "windowSeconds" | "remaining" | "resetSeconds">,
): Record<string, string> {
  return {
    "RateLimit-Policy": `"default";q=${limit.limit};w=${limit.windowSeconds}`,
    RateLimit: `"default";r=${limit.remaining};t=${limit.resetSeconds}`,
  };
}

function required(limit: RateLimit | undefined): RateLimit {
  if (limit === undefined) throw new Error("the registry sent no rate limit");
  return limit;
}
