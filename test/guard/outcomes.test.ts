import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { defaultClaimLifeMs } from "../../services/registry/deliveries/claim-state.ts";
import { outcomeKinds } from "../../services/registry/deliveries/delivery.ts";
import { tableRows, textOf } from "./repository.ts";

const operations = "deploy/operations/deliveries.md";
const inContract = Object.values(OutcomeKind)
  .filter((kind) => typeof kind === "string" && kind !== "UNSPECIFIED")
  .map((name) => String(name).toLowerCase())
  .sort();

test("deploy/operations/deliveries.md explains exactly the outcomes in the gRPC contract", () => {
  const rows = tableRows(operations, "outcome");
  expect(rows.map(([name]) => name).sort()).toEqual(inContract);
  for (const [name, meaning] of rows) expect(meaning, name).toMatch(/^[A-Z].*\.$/);
});

test("the registry defines exactly the outcomes in the gRPC contract", () => {
  expect([...outcomeKinds].sort()).toEqual(inContract);
});

test("deploy/operations/deliveries.md states the age at which a claim counts as interrupted", () => {
  const [, seconds] = /in progress from its claim[\s\S]*?(\d+)\s+seconds/.exec(textOf(operations)) ?? [];
  expect(Number(seconds) * 1_000).toBe(defaultClaimLifeMs);
});
