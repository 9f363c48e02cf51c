import { Admission, type AdmitResponse, type RateLimit } from "#gen/registry/v1/edge_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { unknownKey } from "./bearer-key.ts";

/** What the registry's decision means for the reply. */
export interface AdmissionDecision {
  /** Undefined when the request may go on. */
  readonly refusal?: ServiceError;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads the registry's decision (INTERFACE.md §5, §7, §8).
 *
 * @throws Error for a decision that makes no sense: never admit by mistake
 */
export function admissionDecision(reply: AdmitResponse): AdmissionDecision {
  switch (reply.admission) {
    case Admission.ADMITTED:
      if (reply.storeId === "") throw new Error("the registry admitted a request of no store");
      return { headers: rateLimitHeaders(required(reply.rateLimit)) };
    case Admission.UNKNOWN_KEY:
      return { refusal: unknownKey(), headers: {} };
    case Admission.PLAN_REQUIRED:
      return { refusal: planRequired(), headers: reply.rateLimit ? rateLimitHeaders(reply.rateLimit) : {} };
    case Admission.RATE_LIMITED: {
      const limit = required(reply.rateLimit);
      const retryAfter = String(Math.max(1, limit.resetSeconds));
      return {
        refusal: rateLimited(limit),
        headers: { ...rateLimitHeaders(limit), "Retry-After": retryAfter },
      };
    }
    default:
      throw new Error(`the registry sent an unknown admission ${reply.admission}`);
  }
}

// draft-ietf-httpapi-ratelimit-headers: two structured fields, each a list of one policy, which is named "default".
function rateLimitHeaders(limit: RateLimit): Record<string, string> {
  return {
    "RateLimit-Policy": `"default";q=${limit.limit};w=${limit.windowSeconds}`,
    RateLimit: `"default";r=${limit.remaining};t=${limit.resetSeconds}`,
  };
}

function required(limit: RateLimit | undefined): RateLimit {
  if (limit === undefined) throw new Error("the registry sent no rate limit");
  return limit;
}

function planRequired(): ServiceError {
  return new ServiceError(
    "plan_required",
    "The store is not on the Pro plan, which the API needs. Upgrade the plan; this key works again at once.",
  );
}

function rateLimited(limit: RateLimit): ServiceError {
  const rate = `${limit.limit} requests in ${limit.windowSeconds} seconds`;
  return new ServiceError(
    "rate_limited",
    `The limit of ${rate} is reached. Wait as many seconds as Retry-After says, and keep results instead of asking again.`,
  );
}
