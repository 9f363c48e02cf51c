import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { defaultClaimLifeMs } from "../../services/registry/deliveries/claim-state.ts";
import { outcomeKinds } from "../../services/registry/deliveries/delivery.ts";

const readme = readFileSync(fileURLToPath(new URL("../../services/README.md", import.meta.url)), "utf8");
const table = /^\| outcome \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(readme)?.[1] ?? "";
const inContract = Object.values(OutcomeKind)
  .filter((kind) => typeof kind === "string" && kind !== "UNSPECIFIED")
  .map((name) => String(name).toLowerCase())
  .sort();

test("every outcome of a delivery is explained to merchants, and no other", () => {
  const rows = [...table.matchAll(/^\| `(\w+)` \| (.+?) \| (.*?) ?\|$/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual(inContract);
  for (const [, name, meaning] of rows) expect(meaning, name).toMatch(/^[A-Z].*\.$/);
});

test("every outcome of the contract has its name in the registry", () => {
  expect([...outcomeKinds].sort()).toEqual(inContract);
});

test("merchants are told after what time a dead sender's delivery is interrupted", () => {
  const [, seconds] = /`under way`[^|]*?(\d+) seconds/.exec(readme) ?? [];
  expect(Number(seconds) * 1_000).toBe(defaultClaimLifeMs);
});
