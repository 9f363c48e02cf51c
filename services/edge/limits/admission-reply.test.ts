import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { Admission, HandleListResponseSchema } from "#gen/registry/v1/edge_service_pb.js";
import { admissionReply } from "./admission-reply.ts";

const decide = (reply: MessageInitShape<typeof HandleListResponseSchema>) =>
  admissionReply(create(HandleListResponseSchema, reply));
const rateLimit = { limit: 120, windowSeconds: 60, remaining: 7, resetSeconds: 13 };
const rateLimitHeaders = { "RateLimit-Policy": '"default";q=120;w=60', RateLimit: '"default";r=7;t=13' };

describe("admissionReply", () => {
  test("admits a request and reports the state of the store's rate limit", () => {
    const admitted = { admission: Admission.ADMITTED, storeId: "s", rateLimit };
    expect(decide(admitted)).toEqual({ headers: rateLimitHeaders });
  });

  test("refuses an unknown key as unauthorized and reports no rate limit", () => {
    const { refusal, headers } = decide({ admission: Admission.UNKNOWN_KEY });
    expect(refusal).toMatchObject({ code: "unauthorized" });
    expect(headers).toEqual({});
  });

  test("refuses a store without the Pro plan as plan_required and reports its rate limit if the registry sent one", () => {
    const refused = { admission: Admission.PLAN_REQUIRED, storeId: "s" };
    const { refusal, headers } = decide({ ...refused, rateLimit });
    expect(refusal).toMatchObject({ code: "plan_required" });
    expect(headers).toEqual(rateLimitHeaders);
    expect(decide(refused)).toMatchObject({ refusal: { code: "plan_required" }, headers: {} });
  });

  test.each([
    [13, 13],
    [0, 1],
  ])(
    "for a limit that resets in %i s, refuses a request as rate_limited and sends Retry-After: %i",
    (resetSeconds, retryAfterSeconds) => {
      const { refusal, headers } = decide({
        admission: Admission.RATE_LIMITED,
        storeId: "s",
        rateLimit: { ...rateLimit, remaining: 0, resetSeconds },
      });
      expect(refusal).toMatchObject({ code: "rate_limited", retryAfterSeconds });
      expect(headers).toEqual({ ...rateLimitHeaders, RateLimit: `"default";r=0;t=${resetSeconds}` });
    },
  );

  test.each([
    ["missing", {}],
    ["of a kind unknown to this release", { admission: 99 as Admission }],
    ["admitted without a store", { admission: Admission.ADMITTED, rateLimit }],
    ["admitted without a rate limit", { admission: Admission.ADMITTED, storeId: "s" }],
    ["rate-limited without a rate limit", { admission: Admission.RATE_LIMITED, storeId: "s" }],
  ])("throws for an inconsistent or unknown admission: %s", (_name, reply) => {
    expect(() => decide(reply)).toThrow();
  });
});
