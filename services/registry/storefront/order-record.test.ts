import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderFixture } from "./order-fixture.ts";
import {
  emptyOrderRecord,
  mergeOrder,
  mergeRefund,
  type OrderRecord,
  refundedUnits,
  unitsLeft,
} from "./order-record.ts";

const refund = (id: string, quantity: number) => ({ id, units: [{ lineId: "100001", quantity }] });

interface Message {
  readonly messageId: string;
  readonly triggeredAtMs: number;
  readonly merge: (record: OrderRecord) => OrderRecord;
}

function orderMessage(messageId: string, updatedAtMs: number, triggeredAtMs: number, name: string): Message {
  const merge = (record: OrderRecord) =>
    mergeOrder(record, orderFixture({ updatedAtMs, name }), { triggeredAtMs, messageId });
  return { messageId, triggeredAtMs, merge };
}

const messages: readonly Message[] = [
  orderMessage("m1", 1_000, 1_010, "#created"),
  orderMessage("m2", 1_000, 1_500, "#paid in the same second"),
  orderMessage("m3", 5_000, 900, "#newest, triggered first"),
  orderMessage("m4", 5_000, 900, "#a tie"),
  { messageId: "m5", triggeredAtMs: 0, merge: (record) => mergeRefund(record, refund("r1", 1)) },
  { messageId: "m6", triggeredAtMs: 0, merge: (record) => mergeRefund(record, refund("r2", 2)) },
];

const mergeAll = (list: readonly Message[]) => list.reduce((record, { merge }) => merge(record), emptyOrderRecord);

describe("an order record", () => {
  test("depends neither on the sequence in which messages arrive nor on how often each message arrives", () => {
    const expected = mergeAll(messages);
    const arrivals = fc.shuffledSubarray([...messages, ...messages, ...messages], { minLength: 3 * messages.length });
    fc.assert(
      fc.property(arrivals, (list) => {
        expect(mergeAll(list)).toEqual(expected);
      }),
    );
    expect(expected.order?.name).toBe("#a tie");
    expect(expected.refunds.map(({ id }) => id)).toEqual(["r1", "r2"]);
  });

  test("keeps the state with the latest payload time, not the one whose message arrived or was triggered last", () => {
    const [created, paid, newest] = messages;
    expect(mergeAll([newest, created, paid].flatMap((one) => one ?? [])).order?.name).toBe("#newest, triggered first");
  });

  test("if two payloads have the same time, keeps the state whose message was triggered later", () => {
    const [created, paid] = messages;
    expect(mergeAll([paid, created].flatMap((one) => one ?? [])).order?.name).toBe("#paid in the same second");
  });
});

describe("unitsLeft", () => {
  const line = (quantity: number, currentQuantity: number | null) => {
    const [one] = orderFixture({}).lines;
    if (one === undefined) throw new Error("the fixture has no line");
    return { ...one, quantity, currentQuantity };
  };
  const recordWith = (...quantities: number[]) => ({
    refunds: quantities.map((quantity, index) => refund(`r${index}`, quantity)),
  });

  test.each([
    ["returns the platform's count", line(3, 2), recordWith(), 2],
    ["subtracts a refund if the platform reports no count", line(3, null), recordWith(1), 2],
    ["subtracts a refund that is newer than the state", line(3, 3), recordWith(1), 2],
    ["does not subtract a refund that the platform's count already includes", line(3, 2), recordWith(1), 2],
    ["returns the platform's count after an edit and a refund", line(3, 1), recordWith(1), 1],
    ["subtracts several refunds", line(3, 3), recordWith(1, 2), 0],
    ["never returns a negative number", line(1, 1), recordWith(1, 1), 0],
  ])("%s", (_name, one, record, expected) => {
    expect(unitsLeft(one, refundedUnits(record).get(one.id) ?? 0)).toBe(expected);
  });
});
