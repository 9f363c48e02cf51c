import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { enumChoices, enumName } from "./enum-names.ts";

test("returns the name of a known enum value and the number of an unknown one", () => {
  expect(enumName(OutcomeKind, OutcomeKind.TLS_FAILED)).toBe("tls_failed");
  expect(enumName(OutcomeKind, 999)).toBe("999");
});

test("offers every value of an enum except UNSPECIFIED", () => {
  expect([...enumChoices(Plan)]).toEqual([
    ["basic", Plan.BASIC],
    ["pro", Plan.PRO],
  ]);
});
