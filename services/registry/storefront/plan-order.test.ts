import { describe, expect, test } from "vitest";
import { reasonText } from "#shared/reasons/reason-text.ts";
import type { OrderCertificate } from "./assign-certificates.ts";
import type { OrderSnapshot, Refund } from "./message.ts";
import { lineFixture, orderFixture, ruleFixture } from "./order-fixture.ts";
import { limitNotes, type OrderPolicy, planOrder } from "./plan-order.ts";
import type { StorefrontRule } from "./rules.ts";

const all = ruleFixture();

type Existing = Partial<OrderCertificate> & Pick<OrderCertificate, "line" | "unit">;

function plan(
  order: Partial<OrderSnapshot>,
  existing: readonly Existing[] = [],
  { refunds = [], rules = [all], tags = new Map() }: Partial<OrderPolicy & { refunds: readonly Refund[] }> = {},
) {
  const certificates = existing.map(
    (one): OrderCertificate => ({
      id: `${one.line}/${one.unit}`,
      status: "active",
      wasWithdrawn: false,
      sku: "WH-A2",
      title: "Winter Harbour",
      variant: "A2",
      ...one,
    }),
  );
  const record = { order: orderFixture(order), rank: null, refunds };
  const planned = planOrder(record, certificates, { rules, tags });
  const { issue, issueMax, revoke, waitsFor } = planned;
  const notes = [...limitNotes(planned, 0), ...planned.notes];
  const units = issue.values().flatMap((one) => Iterator.from(one.units).map((unit) => `${one.line.id}/${unit}`));
  return {
    issue: units.take(issueMax).toArray(),
    revoke: revoke.map(({ certificateId, cause }) => `${certificateId} ${cause}`),
    notes: notes.map((note) => reasonText(note, "en")),
    waitsFor,
  };
}

const line = (changes = {}) => ({ lines: [lineFixture(changes)] });
const nothing = { issue: [], revoke: [], notes: [], waitsFor: [] };
const own = (unit: number, changes = {}): Existing => ({ line: "100001", unit, ...changes });
const imported = (position: string, unit = 1, changes = {}): Existing => ({ line: position, unit, ...changes });
const refundOf = (quantity: number): Refund => ({ id: "r1", units: [{ lineId: "100001", quantity }] });

describe("planOrder", () => {
  test("issues a certificate for each unit of an order", () => {
    expect(plan({})).toEqual({ ...nothing, issue: ["100001/1", "100001/2"] });
  });

  test.each<[string, Partial<OrderSnapshot>]>([
    ["that is not paid", { payment: "unpaid" }],
    ["that is refunded", { payment: "refunded" }],
    ["that is voided", { payment: "voided" }],
    ["that is cancelled", { isCancelled: true }],
  ])("issues no certificates for an order %s", (_name, order) => {
    expect(plan(order)).toEqual(nothing);
  });

  test.each<[string, Partial<OrderSnapshot>, RegExp]>([
    ["that is a test", { isTest: true }, /test order/],
    ["that names no buyer", { buyer: { name: "", email: "", customerId: "" } }, /no email address/],
    [
      "of an erased buyer",
      { buyer: { name: "Erased person", email: "erased@erased.invalid", customerId: "" } },
      /no email address/,
    ],
  ])("issues no certificates for an order %s, and adds a note", (_name, order, note) => {
    expect(plan(order)).toEqual({ ...nothing, notes: [expect.stringMatching(note)] });
  });

  test("issues a certificate for each remaining unit of a partially refunded order", () => {
    expect(plan({}, [], { refunds: [refundOf(1)] }).issue).toEqual(["100001/1"]);
  });

  test("issues no certificates for products that no rule selects, and waits for their tags if a rule selects by tag", () => {
    expect(plan({}, [], { rules: [] })).toEqual(nothing);
    const rules: StorefrontRule[] = [{ ...all, selector: { by: "tag", tag: "limited" } }];
    const tags = new Map([["7001", ["blue"]]]);
    expect(plan({}, [], { rules, tags })).toEqual({ ...nothing, waitsFor: ["7001"] });
  });

  describe("for a product whose tags are unknown", () => {
    const limited: StorefrontRule = { ...all, name: "limited", selector: { by: "tag", tag: "limited" } };
    const rules = [limited, all];
    const undecided = { ...nothing, waitsFor: ["7001"] };
    const note = expect.stringMatching(/^The rules depend on the tags of Winter Harbour,/);

    test("issues no certificates while a rule depends on the tags, and adds one note that says what to do", () => {
      const lines = [lineFixture(), lineFixture({ id: "100002", variant: "A3" })];
      expect(plan({ lines }, [], { rules })).toEqual({ ...undecided, notes: [note] });
    });

    test("still issues the certificates for the order's other lines", () => {
      const lines = [lineFixture(), lineFixture({ id: "100002", productId: "7002" })];
      const tags = new Map([["7002", ["limited"]]]);
      const issue = ["100002/1", "100002/2"];
      expect(plan({ lines }, [], { rules, tags })).toEqual({ ...undecided, issue, notes: [note] });
    });

    test("issues a certificate for each unit once the tags are known, even if the product has no tags", () => {
      expect(plan({}, [], { rules, tags: new Map([["7001", []]]) }).issue).toEqual(["100001/1", "100001/2"]);
    });

    test.each<[string, Partial<OrderSnapshot>, readonly unknown[]]>([
      ["is not paid", { payment: "unpaid" }, []],
      ["is cancelled", { isCancelled: true }, []],
      ["is a test", { isTest: true }, [expect.stringMatching(/test order/)]],
    ])("adds no note about the tags if the order %s", (_name, order, notes) => {
      expect(plan(order, [], { rules })).toEqual({ ...undecided, notes });
    });

    test("keeps existing certificates and adds no note", () => {
      expect(plan({}, [own(1), own(2)], { rules })).toEqual(undecided);
    });

    test("issues certificates under the other rules if the product was deleted, because it then has no tags", () => {
      expect(plan(line({ productId: "" }), [], { rules }).issue).toEqual(["100001/1", "100001/2"]);
    });
  });

  describe("with more units than an order gets certificates for", () => {
    const two = [
      lineFixture({ quantity: 9_999, currentQuantity: 9_999 }),
      lineFixture({ id: "100002", quantity: 1_000_000, currentQuantity: 1_000_000 }),
    ];

    test("issues 10,000 certificates for the first units of all lines, and adds one note about the others", () => {
      const { issue, notes } = plan({ lines: two });
      expect([issue.length, issue.at(-2), issue.at(-1)]).toEqual([10_000, "100001/9999", "100002/1"]);
      expect(notes).toEqual([expect.stringMatching(/first 10,000 of 1,009,999 units of #1001 /)]);
    });

    test("counts the certificates that the order has, also those that match no line", () => {
      const other = imported("9", 1, { sku: "XX", title: "Other", status: "revoked" });
      const { issue, notes } = plan({ lines: two }, [own(1), own(2, { status: "revoked", wasWithdrawn: true }), other]);
      expect([issue.length, issue.at(0), issue.at(-1)]).toEqual([9_997, "100001/3", "100001/9999"]);
      expect(notes).toContainEqual(expect.stringMatching(/first 10,000 of 1,010,000 units of #1001 /));
    });

    test("plans no more than that for the largest order that the connector accepts, and nothing while it is unpaid", () => {
      const lines = Array.from({ length: 1_000 }, (_, index) =>
        lineFixture({ id: String(index), quantity: 1_000_000, currentQuantity: 1_000_000 }),
      );
      expect(plan({ lines }).issue).toHaveLength(10_000);
      expect(plan({ lines, payment: "unpaid" })).toEqual(nothing);
    });
  });
});

describe("an order with certificates", () => {
  test("is left unchanged if each unit already has a certificate", () => {
    expect(plan({}, [own(1), own(2)])).toEqual(nothing);
  });

  test("gets a certificate for each unit that an edit adds to an existing line or to a new line", () => {
    const lines = [
      lineFixture({ quantity: 3, currentQuantity: 3 }),
      lineFixture({ id: "100002", quantity: 1, currentQuantity: 1 }),
    ];
    expect(plan({ lines }, [own(1), own(2)]).issue).toEqual(["100001/3", "100002/1"]);
  });

  test("loses the certificates of a line's last units when a refund or an edit removes units", () => {
    expect(plan({}, [own(1), own(2)], { refunds: [refundOf(1)] }).revoke).toEqual(["100001/2 refund"]);
    expect(plan(line({ currentQuantity: 1 }), [own(1), own(2)]).revoke).toEqual(["100001/2 order_cancelled"]);
  });

  test("keeps its certificates, but gets no further ones, when it is no longer fully paid because of an edit", () => {
    expect(plan({ payment: "unpaid", ...line({ quantity: 3, currentQuantity: 3 }) }, [own(1), own(2)])).toEqual(
      nothing,
    );
  });

  test.each<[string, Partial<OrderSnapshot>, string]>([
    ["refunded", { payment: "refunded" }, "refund"],
    ["cancelled", { isCancelled: true }, "order_cancelled"],
    ["voided", { payment: "voided" }, "order_cancelled"],
  ])("loses all its certificates when it is %s, including those that match no line", (_name, order, cause) => {
    const other = imported("9", 1, { sku: "XX", title: "Other" });
    expect(plan(order, [own(1), own(2), other])).toEqual({
      ...nothing,
      revoke: [`100001/1 ${cause}`, `100001/2 ${cause}`, `9/1 ${cause}`],
    });
  });

  test("gets no second certificate for a unit whose certificate was revoked", () => {
    expect(plan({}, [own(1), own(2, { status: "revoked" })])).toEqual(nothing);
  });

  test("gets a new certificate for a unit that was removed and added again", () => {
    const again = line({ quantity: 3, currentQuantity: 2 });
    expect(plan(again, [own(1), own(2, { status: "revoked", wasWithdrawn: true })]).issue).toEqual(["100001/3"]);
  });

  test("loses no further certificate when one unit is refunded and one certificate is already revoked", () => {
    expect(plan({}, [own(1, { status: "revoked" }), own(2)], { refunds: [refundOf(1)] })).toEqual(nothing);
  });

  test("keeps its valid certificate when one unit is refunded and another unit's certificate has expired", () => {
    const existing = [own(1, { status: "expired" }), own(2)];
    expect(plan({}, existing, { refunds: [refundOf(1)] })).toEqual(nothing);
  });

  test("keeps one of two valid certificates when a person reactivates one after the other unit was refunded", () => {
    expect(plan({}, [own(1), own(2)], { refunds: [refundOf(1)] }).revoke).toHaveLength(1);
  });

  test("gets a note if a unit was removed and added again, and its certificate remains revoked", () => {
    const existing = [own(1), own(2, { status: "revoked", wasWithdrawn: true })];
    const note = expect.stringMatching(/^1 unit of Winter Harbour had a certificate/);
    expect(plan({}, existing)).toEqual({ ...nothing, notes: [note] });
  });

  test("keeps its expired certificates when it is cancelled, because they cannot be revoked", () => {
    const existing = [own(1, { status: "expired" }), own(2, { status: "expired" })];
    expect(plan({ isCancelled: true }, existing)).toEqual(nothing);
  });

  test("keeps the certificates of products that are no longer selected by any rule", () => {
    expect(plan({}, [own(1), own(2)], { rules: [] }).revoke).toEqual([]);
  });
});

describe("a certificate that a person has reactivated after a refund", () => {
  const again = { wasWithdrawn: true };
  const other = imported("9", 1, { ...again, sku: "XX", title: "Other" });

  test.each<[string, Partial<OrderSnapshot>, readonly Refund[]]>([
    ["refunded", { payment: "refunded" }, []],
    ["cancelled", { isCancelled: true }, []],
    ["partly refunded", {}, [refundOf(1)]],
    ["changed", line({ currentQuantity: 1 }), []],
  ])("is not revoked when the order is %s, and causes no note", (_name, order, refunds) => {
    const existing = [own(1, { status: "revoked" }), own(2, again), other];
    expect(plan(order, existing, { refunds })).toEqual(nothing);
  });

  test("is not counted with the others, so that refunding another unit revokes only one of them", () => {
    const three = line({ quantity: 3, currentQuantity: 3 });
    const existing = [own(1), own(2), own(3, again)];
    expect(plan(three, existing, { refunds: [refundOf(1)] })).toEqual(nothing);
    expect(plan(three, existing, { refunds: [refundOf(2)] }).revoke).toEqual(["100001/2 refund"]);
  });

  test("prevents a second certificate for its unit, even if it is revoked again", () => {
    expect(plan({}, [own(1), own(2, again)])).toEqual(nothing);
    expect(plan({}, [own(1), own(2, { ...again, status: "revoked" })]).issue).toEqual([]);
  });

  test("prevents a second certificate for its unit if another unit was refunded before the certificate was issued", () => {
    expect(plan({}, [own(1, again)], { refunds: [refundOf(1)] })).toEqual(nothing);
    const revokedByPerson = own(1, { status: "revoked" });
    expect(plan({}, [revokedByPerson], { refunds: [refundOf(1)] })).toEqual(nothing);
  });
});

describe("certificates imported from a file", () => {
  test.each<[string, object]>([
    ["with SKU and title", {}],
    ["with the title from the catalogue", { title: "Harbour in Winter", variant: "" }],
    ["without a SKU", { sku: "" }],
    ["without a SKU, with title and variant in one", { sku: "", title: "Winter Harbour - A2", variant: "" }],
  ])("%s count as the certificates of their line's units", (_name, changes) => {
    expect(plan({}, [imported("1", 1, changes), imported("1", 2, changes)])).toEqual(nothing);
  });

  test("are counted, so that only the units without a certificate get new certificates", () => {
    expect(plan({}, [imported("1", 1)]).issue).toEqual(["100001/1"]);
  });

  test("are divided between lines with the same SKU", () => {
    const lines = [
      lineFixture({ quantity: 1, currentQuantity: 1 }),
      lineFixture({ id: "100002", quantity: 1, currentQuantity: 1 }),
    ];
    expect(plan({ lines }, [imported("1"), imported("2")])).toEqual(nothing);
  });

  test("that match no line by SKU, title and quantity are reported, but not revoked", () => {
    const other = imported("2", 1, { sku: "XX", title: "Other" });
    expect(plan({}, [own(1), own(2), other])).toEqual({
      ...nothing,
      notes: ["1 certificate matches no line of the order by SKU, title and quantity. It remains unchanged."],
    });
  });

  test("are revoked by a refund like other certificates", () => {
    const existing = [imported("1", 1), imported("1", 2)];
    expect(plan({}, existing, { refunds: [refundOf(1)] }).revoke).toEqual(["1/2 refund"]);
  });
});
