import { expect, test } from "vitest";
import { draftFixture } from "../certificates/draft-fixture.ts";
import { orderFixture, ruleFixture } from "./order-fixture.ts";
import { reconcileChange } from "./reconcile-order.ts";

const dayMs = 86_400_000;

test.each([
  ["the database's time", 0],
  ["the time of issue, if the store's clock is ahead by more than the validity", 2 * dayMs],
])("a rule's validity counts from %s", (_name, aheadMs) => {
  const now = new Date(10 * dayMs);
  const timestamps = [aheadMs - 1, aheadMs].map((ms) => new Date(now.getTime() + ms));
  const storefront = { rulesVersion: 1, orderVersions: new Map([["5001", 1]]), tags: new Map() };
  const draft = draftFixture({ now, timestamps, storefront });
  const order = { orderId: "5001", version: 1, record: { order: orderFixture(), rank: null, refunds: [] } };
  const inputs = { rules: [ruleFixture({ validDays: 1 })], rulesVersion: 1, erasures: 0 };
  expect(reconcileChange(order, inputs, 2).decide(draft)).toMatchObject({ issuedCount: 2, notes: [] });
  const expected = timestamps.map((at) => new Date(Math.max(at.getTime(), now.getTime()) + dayMs));
  expect(draft.inserted.map(({ expiresAt }) => expiresAt)).toEqual(expected);
});
