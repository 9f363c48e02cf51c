import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { TriggerSchema } from "#gen/registry/v1/trigger_service_pb.js";
import { visitFixture } from "../visit-fixture.ts";
import { triggerRow } from "./trigger-row.ts";

test("a refused form of a trigger is expanded, so that its mistake is seen; the other forms stay closed", () => {
  const mistakes = [{ field: "", text: "refused" }];
  const refused = { action: "test", scope: "trg_1", entries: new URLSearchParams(), mistakes, labels: new Map() };
  const trigger = create(TriggerSchema, { triggerId: "trg_1", url: "https://flows.example.test/hook", enabled: true });
  const opened = (given: Parameters<typeof visitFixture>[1]) =>
    [...String(triggerRow(visitFixture(undefined, given), trigger).more).matchAll(/<details[^>]*( open)?>/g)].map(
      ([tag]) => tag.includes(" open"),
    );
  expect(opened({})).toEqual([false, false, false, false]);
  expect(opened({ refused })).toEqual([true, false, false, false]);
  expect(opened({ refused: { ...refused, scope: "trg_2" } })).toEqual([false, false, false, false]);
});
