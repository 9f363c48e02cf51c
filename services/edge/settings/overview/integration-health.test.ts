import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { DeliverySchema } from "#gen/registry/v1/inspection_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { ApiKeySchema, Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { apiHealth, webhookHealth } from "./integration-health.ts";

const used = new Date("2026-11-22T12:00:00Z");
const unusedKey = create(ApiKeySchema, { keyId: "key_1" });
const usedKey = create(ApiKeySchema, { keyId: "key_2", lastUsedAt: timestampFromDate(used) });
const deliveries = (...kinds: (OutcomeKind | undefined)[]) =>
  kinds.map((kind) => create(DeliverySchema, kind === undefined ? {} : { outcome: { kind } }));

test("classifies the use of the API by the plan, the keys and their last use", () => {
  expect(apiHealth(Plan.BASIC, [usedKey])).toBe("noPlan");
  expect(apiHealth(Plan.PRO, [])).toBe("noKey");
  expect(apiHealth(Plan.PRO, [unusedKey])).toBe("unused");
  expect(apiHealth(Plan.PRO, [unusedKey, usedKey])).toBe("inUse");
});

test.each([
  ["missing", false, deliveries(OutcomeKind.DELIVERED)],
  ["idle", true, deliveries()],
  ["idle", true, deliveries(undefined, OutcomeKind.SKIPPED)],
  ["works", true, deliveries(undefined, OutcomeKind.DELIVERED, OutcomeKind.TIMEOUT)],
  ["fails", true, deliveries(OutcomeKind.REFUSED, OutcomeKind.DELIVERED)],
  ["fails", true, deliveries(OutcomeKind.SKIPPED, OutcomeKind.INTERRUPTED)],
])("classifies a webhook as %j", (expected, isSet, log) => {
  expect(webhookHealth(isSet, log)).toBe(expected);
});
