import { timestampNow } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { TriggerDisabledCause } from "#gen/registry/v1/trigger_service_pb.js";
import { triggerHealth } from "./trigger-health.ts";

const { UNSPECIFIED, REQUESTED, FAILING, GONE } = TriggerDisabledCause;
const working = { enabled: true, disabledCause: UNSPECIFIED };
const failing = { ...working, failingSince: timestampNow() };
const disabled = (disabledCause: TriggerDisabledCause) => ({ enabled: false, disabledCause });

test.each([
  ["no trigger", [], "works"],
  ["a working one", [working], "works"],
  ["one that a person disabled", [disabled(REQUESTED)], "works"],
  ["one that fails", [working, failing], "failing"],
  ["one that was disabled because it failed", [failing, disabled(FAILING)], "disabled"],
  ["one whose receiver is gone", [disabled(GONE), working], "disabled"],
])("%s: %s", (_name, triggers, expected) => {
  expect(triggerHealth(triggers)).toBe(expected);
});
