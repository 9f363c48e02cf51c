import type { Registry } from "prom-client";
import { Admission, type HandleListResponse } from "#gen/registry/v1/edge_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { hashApiKey } from "#shared/keys/api-key.ts";
import { createLabelledCounter } from "#shared/observe/labelled-counter.ts";
import { base64Of } from "#shared/text/base64.ts";
import type { EdgeContext } from "../http/edge-context.ts";
import { remainingMs } from "../http/request-deadline.ts";
import type { CallOptions } from "../registry-client/list-client.ts";
import { type AdmissionResponse, admissionReply, planBudgetHeaders } from "./admission-reply.ts";
import { apiKeys, bearerKey } from "./bearer-key.ts";
import type { LimitLoad } from "./limit-load.ts";
import type { LookUpKey } from "./look-up-key.ts";
import type { PlanRefusals } from "./plan-refusals.ts";
import { SharedRefusals } from "./shared-refusals.ts";

interface AdmissionDeps {
  readonly lookUp: LookUpKey;
  readonly planRefusals: PlanRefusals;
  readonly limitLoad: LimitLoad;
  readonly metrics: Registry;
}

/**
 * Makes the registry call that admits or refuses a request, and returns the registry's response if the request is
 * admitted. The checks run in this order: the key's format (401), overload (503), the key itself (401), the plan (403)
 * and the rate limit (429). Sets the rate-limit headers of the response. Requests with a key that was refused may share
 * one call; see {@link SharedRefusals}.
 *
 * @param call receives the SHA-256 of the API key; only the hash of a key leaves this process
 * @throws ServiceError for a refused request, or the error of `call`
 */
export type Admit = (ctx: EdgeContext, call: Call) => Promise<HandleListResponse>;

/**
 * The hash of an API key, as bytes and as text. Encoded once, because encoding it for each check would cost more than
 * the checks.
 */
interface HashedKey {
  readonly keySha256: Uint8Array;
  /** The hash in base64. */
  readonly key: string;
}

type Call = (keySha256: Uint8Array, options: CallOptions) => Promise<HandleListResponse>;

/**
 * Creates an {@link Admit}. Without a call to the registry, it refuses malformed keys, excess load, keys that the guard
 * rejects, and keys that have used up their budget of `plan_required` refusals.
 */
export function createAdmission({ lookUp, planRefusals, limitLoad, metrics }: AdmissionDeps): Admit {
  const countPlanRefusal = createLabelledCounter(metrics, {
    name: "edge_plan_refusals_total",
    help: "Requests rejected because the store is not on the Pro plan: by the registry with 403 (looked_up), or without a lookup with 429 (limited).",
    label: "how",
    values: ["looked_up", "limited"],
  });
  const requireBudget = (ctx: EdgeContext, key: string): void => {
    const refusal = planRefusals.takeToken(key);
    if (refusal === undefined) return;
    countPlanRefusal("limited");
    ctx.set(planBudgetHeaders(refusal));
    throw new ServiceError(
      "rate_limited",
      "You sent too many requests with this key, and the API requires the Pro plan, which the store does not have. Upgrade the store's plan, wait for the number of seconds in Retry-After, then retry.",
      { retryAfterSeconds: refusal.waitSeconds },
    );
  };
  const note = (key: string, { admission, rateLimit }: AdmissionResponse): void => {
    if (admission === Admission.PLAN_REQUIRED) {
      countPlanRefusal("looked_up");
      if (rateLimit !== undefined) planRefusals.noteRefusal(key, rateLimit);
    } else planRefusals.noteOther(key);
  };
  const refusals = new SharedRefusals<HandleListResponse>(({ admission }) => admission !== Admission.ADMITTED);
  const guarded = (ctx: EdgeContext, { key, keySha256 }: HashedKey, call: Call) =>
    lookUp(ctx, apiKeys, key, {
      call: async () => {
        requireBudget(ctx, key);
        const { requestId, clientSignal: signal } = ctx.state;
        const response = await refusals.run(key, () =>
          call(keySha256, { requestId, timeoutMs: remainingMs(ctx.state), signal }),
        );
        note(key, response);
        return response;
      },
      isKnown: ({ admission }) => admission !== Admission.UNKNOWN_KEY,
    });
  return async (ctx, call) => {
    const keySha256 = hashApiKey(bearerKey(ctx.req.headersDistinct.authorization));
    const key = base64Of(keySha256);
    const response = await limitLoad(ctx, key, () => guarded(ctx, { key, keySha256 }, call));
    if (response.storeId !== "") ctx.state.storeId = response.storeId;
    const { refusal, headers } = admissionReply(response);
    ctx.set(headers);
    if (refusal !== undefined) throw refusal;
    return response;
  };
}
