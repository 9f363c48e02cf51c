import { UUID } from "mongodb";
import { expect, test } from "vitest";
import { BlockingWrites } from "./blocking-writes.ts";

const inTransaction = { lsid: { id: new UUID() }, txnNumber: 1, autocommit: false };
const one = { q: {}, u: {} };

/** Notes the commands of a test; each is a name and its fields. */
function foundIn(...commands: readonly (readonly [name: string, fields: object])[]): string[] {
  const writes = new BlockingWrites();
  for (const [name, fields] of commands) writes.note(name, fields);
  return writes.take();
}

test.each([
  ["update", { update: "certificates", updates: [one, { ...one, multi: true }] }],
  ["update", { update: "storefrontMessages", updates: [{ ...one, multi: true }] }],
  ["update", { update: "storefrontOrders", updates: [{ ...one, multi: true }] }],
  ["delete", { delete: "certificates", deletes: [{ q: {}, limit: 0 }] }],
  ["bulkWrite", { ops: [{ update: 0, multi: true }], nsInfo: [{ ns: "registry.certificates" }] }],
])("finds a write of many documents beside transactions that change several: %s %o", (name, fields) => {
  expect(foundIn([name, fields])).toHaveLength(1);
});

test("finds a collection of which a transaction changes several documents, and which is not in the list", () => {
  const update = ["update", { update: "outbox", updates: [one], ...inTransaction }] as const;
  expect(foundIn(update, update)).toHaveLength(1);
});

test.each([
  ["a write of many documents of another collection", { update: "outbox", updates: [{ ...one, multi: true }] }],
  [
    "a write of many documents in a transaction",
    { update: "certificates", updates: [{ multi: true }], ...inTransaction },
  ],
  ["writes of one document each", { update: "certificates", updates: [one, one] }],
])("accepts %s", (_, fields) => {
  expect(foundIn(["update", fields])).toEqual([]);
});

test("accepts one change of a collection in each transaction", () => {
  const insert = ["insert", { insert: "outbox", ...inTransaction }] as const;
  const update = ["update", { update: "outbox", updates: [one], ...inTransaction }] as const;
  expect(foundIn(insert, update, ["commitTransaction", inTransaction], insert, update)).toEqual([]);
});
