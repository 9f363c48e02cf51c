import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { CatalogueProduct } from "../values/catalogue-product.ts";
import type { Certificate } from "./certificate.ts";
import { certificateFixture as certificate, draftFixture } from "./draft-fixture.ts";
import type { StoreState } from "./store-draft.ts";

const product: CatalogueProduct = {
  id: "p1",
  title: "Alpine Jacket",
  variants: [{ sku: "AJ-M", title: "M" }],
  editionTotal: 3,
  editionIssued: 1,
};

const origin = { cause: "order", actor: "test" };

const draft = (changes: Partial<StoreState> = {}) =>
  draftFixture({ products: new Map([["AJ-M", product]]), ...changes });

describe("StoreDraft", () => {
  test("is empty at first", () => {
    const empty = draft();
    expect(empty.isEmpty).toBe(true);
    expect(empty.lastSerial).toBe(7);
    expect(empty.inserted).toEqual([]);
  });

  test("assigns the serial numbers that follow the last one", () => {
    const one = draft();
    expect([one.takeSerial(), one.takeSerial()]).toEqual([8, 9]);
    expect(one.lastSerial).toBe(9);
  });

  test("assigns each reserved timestamp once, and throws when all are used", () => {
    const one = draft();
    expect([one.nextTimestamp(), one.nextTimestamp()]).toEqual([new Date(1), new Date(2)]);
    expect(() => one.nextTimestamp()).toThrow("the group reserved too few timestamps");
  });

  test("assigns edition numbers until the edition is sold out", () => {
    const one = draft();
    const numbers = [1, 2, 3].map(() => one.takeEditionNumber(product, 3));
    expect(numbers).toEqual([2, 3, undefined]);
    expect(one.editionsIssued).toEqual(new Map([["p1", 3]]));
  });

  test("does not update a sold-out edition", () => {
    const one = draft();
    expect(one.takeEditionNumber({ ...product, editionIssued: 3 }, 3)).toBeUndefined();
    expect(one.editionsIssued.size).toBe(0);
  });

  test("makes an inserted certificate visible to later changes", () => {
    const one = draft();
    expect(one.certificateIssuedFor("1/1/1")).toBeUndefined();
    one.insert(certificate, EventType.ISSUED, origin);
    expect(one.certificateIssuedFor("1/1/1")).toBe(certificate);
    expect(one.inserted).toEqual([certificate]);
    expect(one.events).toMatchObject([
      { id: expect.stringMatching(/^evt_/), type: EventType.ISSUED, certificate, origin },
    ]);
    expect(one.isEmpty).toBe(false);
  });

  test("does not modify its initial state, so that the transaction can be retried", () => {
    const issued = new Map<string, Certificate>();
    draft({ issued }).insert(certificate, EventType.ISSUED, origin);
    expect(issued.size).toBe(0);
  });

  test("does not index a certificate that has no issue key", () => {
    const one = draft();
    one.insert({ ...certificate, issueKey: null }, EventType.ISSUED, origin);
    expect(one.certificateIssuedFor("")).toBeUndefined();
    expect(one.inserted).toHaveLength(1);
  });

  test("finds products by SKU and certificates by issue key", () => {
    const one = draft({ issued: new Map([["1/1/1", certificate]]) });
    expect(one.productWithSku("AJ-M")).toBe(product);
    expect(one.productWithSku("other")).toBeUndefined();
    expect(one.certificateIssuedFor("1/1/1")).toBe(certificate);
  });
});
