import { expect, test } from "vitest";
import { draftFixture } from "./draft-fixture.ts";
import { issueChange } from "./issue-certificates.ts";
import type { IssueItem } from "./issue-item.ts";
import { PartialResult } from "./ledger.ts";

const item: IssueItem = {
  product: { id: "7001", title: "Alpine Jacket", variant: "", sku: "AJ-M" },
  buyer: { name: "Ada Example", email: "ada@example.test" },
  order: null,
  expiresAt: null,
};
const invalid = { ...item, buyer: { ...item.buyer, email: "nobody" } };
const request = { actor: "test", isImport: false };
const product = { id: "7001", title: "Alpine Jacket", variants: [], editionTotal: 50, editionIssued: 0 };
const products = new Map([["AJ-M", product]]);

test("issues the items for which the draft has timestamps, and the rest in the next transaction", () => {
  const items = [item, invalid, item, invalid, item];
  const change = issueChange(items, request);
  expect(change.maxTimestamps).toBe(3);

  // The fixture has two timestamps.
  const first = draftFixture({ products });
  const part = change.decide(first);
  if (!(part instanceof PartialResult)) throw new Error("the change is complete");
  expect(part.soFar.map(({ outcome }) => outcome)).toEqual(["issued", "invalid", "issued", "invalid"]);
  // The next item takes no edition number yet.
  expect([first.inserted.length, first.editionsIssued.get("7001")]).toEqual([2, 2]);

  const rest = change.continueFrom?.(part.soFar);
  expect(rest?.maxTimestamps).toBe(1);
  const second = draftFixture({ lastSerial: first.lastSerial });
  const results = rest?.decide(second);
  expect(results).toEqual([...part.soFar, { outcome: "issued", certificateId: expect.any(String), serial: "000010" }]);
  expect(second.inserted).toHaveLength(1);
});
