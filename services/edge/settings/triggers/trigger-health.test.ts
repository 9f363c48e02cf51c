import { timestampNow } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { TriggerDisabledCause } from "#gen/registry/v1/trigger_service_pb.js";
import { triggerHealth } from "./trigger-health.ts";

const { UNSPECIFIED, REQUESTED, FAILING, GONE } = TriggerDisabledCause;
const working = { enabled: true, disabledCause: UNSPECIFIED };
const failing = { ...working, failingSince: timestampNow() };
const disabled = (disabledCause: TriggerDisabledCause) => ({ enabled: false, disabledCause });

test.each([
  ["no triggers", [], "works"],
  ["a working trigger", [working], "works"],
  ["a trigger that a person disabled", [disabled(REQUESTED)], "works"],
  ["a working and a failing trigger", [working, failing], "failing"],
  ["a failing trigger and one disabled because it failed", [failing, disabled(FAILING)], "disabled"],
  ["a working trigger and one disabled because its receiver is gone", [disabled(GONE), working], "disabled"],
])("returns the health of %s", (_name, triggers, expected) => {
  expect(triggerHealth(triggers)).toBe(expected);
});
