import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { Admission, AdmitResponseSchema } from "#gen/registry/v1/edge_service_pb.js";
import { admissionDecision } from "./admission-decision.ts";

const decide = (reply: MessageInitShape<typeof AdmitResponseSchema>) =>
  admissionDecision(create(AdmitResponseSchema, reply));
const rateLimit = { limit: 120, windowSeconds: 60, remaining: 7, resetSeconds: 13 };

describe("the registry's admission", () => {
  test("lets a request on with the state of its limit", () => {
    expect(decide({ admission: Admission.ADMITTED, storeId: "s", rateLimit })).toEqual({
      headers: { "RateLimit-Policy": '"default";q=120;w=60', RateLimit: '"default";r=7;t=13' },
    });
  });

  test("of an unknown key is 401 and tells nothing about limits", () => {
    const { refusal, headers } = decide({ admission: Admission.UNKNOWN_KEY });
    expect(refusal).toMatchObject({ code: "unauthorized" });
    expect(headers).toEqual({});
  });

  test("of a store that is not on Pro is 403, with the state of its limit where the registry tells it", () => {
    const refused = { admission: Admission.PLAN_REQUIRED, storeId: "s" };
    const { refusal, headers } = decide({ ...refused, rateLimit });
    expect(refusal).toMatchObject({ code: "plan_required" });
    expect(headers).toEqual({ "RateLimit-Policy": '"default";q=120;w=60', RateLimit: '"default";r=7;t=13' });
    expect(decide(refused)).toMatchObject({ refusal: { code: "plan_required" }, headers: {} });
  });

  test("over the limit is 429 and says when to come back", () => {
    const { refusal, headers } = decide({
      admission: Admission.RATE_LIMITED,
      storeId: "s",
      rateLimit: { ...rateLimit, remaining: 0 },
    });
    expect(refusal).toMatchObject({ code: "rate_limited" });
    expect(headers).toEqual({
      "RateLimit-Policy": '"default";q=120;w=60',
      RateLimit: '"default";r=0;t=13',
      "Retry-After": "13",
    });
  });

  test("over the limit never says to come back in 0 seconds", () => {
    const { headers } = decide({
      admission: Admission.RATE_LIMITED,
      rateLimit: { ...rateLimit, resetSeconds: 0 },
    });
    expect(headers["Retry-After"]).toBe("1");
  });

  test.each([
    ["none", {}],
    ["one of a later release", { admission: 99 as Admission }],
    ["one without a store", { admission: Admission.ADMITTED, rateLimit }],
    ["one without a limit", { admission: Admission.ADMITTED, storeId: "s" }],
    ["a limit without numbers", { admission: Admission.RATE_LIMITED, storeId: "s" }],
  ])("never lets a request on by mistake: %s", (_name, reply) => {
    expect(() => decide(reply)).toThrow();
  });
});
