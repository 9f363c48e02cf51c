import { expect, test } from "vitest";
import { reason } from "#shared/reasons/reason.ts";
import { certificateFixture, draftFixture } from "./draft-fixture.ts";
import { issueChange } from "./issue-certificates.ts";
import { type IssueItem, issueKeyOf } from "./issue-item.ts";
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

test("issues certificates for as many items as the draft has timestamps, and the rest in the next transaction", () => {
  const items = [item, invalid, item, invalid, item];
  const change = issueChange(items, request);
  expect(change.maxTimestamps).toBe(3);

  // The fixture has two timestamps.
  const first = draftFixture({ products });
  const part = change.decide(first);
  if (!(part instanceof PartialResult)) throw new Error("the change is complete");
  expect(part.soFar.map(({ outcome }) => outcome)).toEqual(["issued", "invalid", "issued", "invalid"]);
  // The next item has not been assigned an edition number yet.
  expect([first.inserted.length, first.editionsIssued.get("7001")]).toEqual([2, 2]);

  const rest = change.continueFrom?.(part.soFar);
  expect(rest?.maxTimestamps).toBe(1);
  const second = draftFixture({ lastSerial: first.lastSerial });
  const results = rest?.decide(second);
  expect(results).toEqual([...part.soFar, { outcome: "issued", certificateId: expect.any(String), serial: "000010" }]);
  expect(second.inserted).toHaveLength(1);
});

test("takes a missing title from the catalogue, and refuses an item without a title whose SKU is unknown", () => {
  const draft = draftFixture({ products });
  const untitled = { ...item, product: { id: "", title: "", variant: "", sku: "AJ-M" } };
  const unknown = { ...item, product: { id: "", title: "", variant: "", sku: "AJ-X" } };
  expect(issueChange([untitled, unknown], request).decide(draft)).toMatchObject([
    { outcome: "issued" },
    { outcome: "invalid", field: "product.title", reason: reason("text_empty") },
  ]);
  expect(draft.inserted.map(({ product: { title } }) => title)).toEqual(["Alpine Jacket"]);
});

// The fixture's timestamps are 1 and 2, and the database's time is 2.
test.each([
  ["before 1970", new Date(-1)],
  ["before the issue time", new Date(0)],
  ["at the issue time", new Date(1)],
  ["at the database's time", new Date(2)],
])("refuses an expiry %s without using a timestamp or an edition number", (_name, expiresAt) => {
  const draft = draftFixture({ products });
  const results = issueChange([{ ...item, expiresAt }, item], request).decide(draft);
  expect(results).toMatchObject([
    { outcome: "invalid", field: "expires_at", reason: reason("expiry_not_later") },
    { outcome: "issued" },
  ]);
  expect([draft.inserted.length, draft.timestampsLeft, draft.editionsIssued.get("7001")]).toEqual([1, 1, 1]);
});

test("refuses an expiry that is later than the database's time but not later than the issue time", () => {
  const draft = draftFixture({ timestamps: [new Date(1_000)] });
  const results = issueChange([{ ...item, expiresAt: new Date(1_000) }], request).decide(draft);
  expect(results).toMatchObject([{ outcome: "invalid", field: "expires_at" }]);
});

test("accepts an expiry one millisecond after the database's time", () => {
  const results = issueChange([{ ...item, expiresAt: new Date(3) }], request).decide(draftFixture());
  expect(results).toMatchObject([{ outcome: "issued" }]);
});

test("returns the existing certificate of an order unit even if the requested expiry has passed", () => {
  const ordered = { ...item, order: { id: "450789469", name: "#1001", line: "1", unit: 1 }, expiresAt: new Date(1) };
  const issued = new Map([[issueKeyOf(ordered) ?? "", certificateFixture]]);
  const results = issueChange([ordered], request).decide(draftFixture({ issued }));
  expect(results).toMatchObject([{ outcome: "already_issued", certificateId: certificateFixture.id }]);
});
