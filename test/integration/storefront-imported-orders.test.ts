import { describe, expect, test } from "vitest";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const { registry, openShop } = await openStorefrontRig();
const line = 13_800_000_000_001;

describe("an imported order", () => {
  const file = (id: number, position: string, unit = 1) =>
    issueItem({
      product: { id: "", title: "Alpine Jacket", variant: "M / Blue", sku: "AJ-M" },
      order: { id: String(id), name: "#1001", line: position, unit },
    });
  const importItems = (storeId: string, items: ReturnType<typeof issueItem>[]) =>
    registry.issuing.issueCertificates({ items, isImport: true }, inStore(storeId));

  test("that later arrives from the platform gets certificates only for units that have none", async () => {
    const { send, settled, certificatesOf, storeId } = await openShop();
    const id = newOrderId();
    await importItems(storeId, [file(id, "1", 1), file(id, "1", 2)]);
    await send("orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 3 }] }));
    await settled();
    expect(await certificatesOf(id)).toEqual(["1/1 active", "1/2 active", `${line}/1 active`]);
  });

  test("that arrived from the platform earlier gets no further certificates", async () => {
    const { send, settled, certificatesOf, storeId } = await openShop();
    const id = newOrderId();
    await send("orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 2 }] }));
    await settled();
    const { results } = await importItems(storeId, [file(id, "1", 1), file(id, "1", 2)]);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set([IssueOutcome.ALREADY_ISSUED]));
    expect(await certificatesOf(id)).toEqual([`${line}/1 active`, `${line}/2 active`]);
  });

  test("is listed as a problem if a certificate matches no line, and keeps that certificate", async () => {
    const { send, settled, certificatesOf, storeId } = await openShop();
    const id = newOrderId();
    await importItems(storeId, [file(id, "1", 1), file(id, "1", 2)]);
    await send("orders/paid", orderPayload({ id, lines: [{ id: line, quantity: 1 }] }));
    await settled();
    expect(await certificatesOf(id)).toEqual(["1/1 active", "1/2 active"]);
    const { problems } = await registry.storefront.listStorefrontProblems({}, inStore(storeId));
    expect(problems).toMatchObject([{ orderName: expect.stringMatching(/^#/), hasFailed: false }]);
    expect(problems[0]?.problems[0]?.text).toMatch(/^1 certificate matches no line/);
  });
});
