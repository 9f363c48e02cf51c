import { expect, test } from "vitest";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });
const { admin, database, issuing } = registry;

const { ISSUED, ALREADY_ISSUED, INVALID, SOLD_OUT } = IssueOutcome;

async function storeWithEdition(editionTotal: number): Promise<string> {
  const storeId = await createTestStore(registry);
  const variants = [{ sku: "AJ-M", title: "M / Blue" }];
  const products = [{ id: "7001", title: "Alpine Jacket", variants, editionTotal }];
  await admin.putProducts({ products }, inStore(storeId));
  return storeId;
}

const numbered = (changes = {}) => issueItem({ product: { sku: "AJ-M" }, ...changes });
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("assigns each edition number from 1 to 500 exactly once among 64 concurrent writers, then reports the edition as sold out", async () => {
  const storeId = await storeWithEdition(500);
  // Each writer issues sequentially, one or two certificates per call.
  const write = async (writer: number) => {
    const results = [];
    for (let call = 0; call < 6; call++) {
      const { issuing: one } = (writer + call) % 2 ? registry : replica;
      const items = (writer + call) % 3 ? [numbered()] : [numbered(), numbered()];
      results.push(...(await one.issueCertificates({ items }, inStore(storeId))).results);
    }
    return results;
  };
  const results = (await Promise.all(upTo(64).map(write))).flat();

  const soldOut = results.filter(({ outcome }) => outcome === SOLD_OUT);
  expect(results.filter(({ outcome }) => outcome === ISSUED)).toHaveLength(500);
  expect(soldOut).toHaveLength(results.length - 500);
  expect(soldOut.length).toBeGreaterThan(0);
  for (const result of soldOut)
    expect(result).toMatchObject({
      certificateId: "",
      serial: "",
      field: "product.sku",
      reason: { code: "sold_out", text: "The edition of Alpine Jacket is sold out." },
    });
  const listed = await listAll(registry, storeId);
  expect(listed.map(({ edition }) => edition?.number)).toEqual(upTo(500));
  expect(listed.map(({ serial }) => Number(serial))).toEqual(upTo(500));
  expect(await waitingEvents(database, storeId)).toHaveLength(500);
  const [product] = await database.collections.products.find({ "_id.store": storeId }).toArray();
  expect(product?.editionIssued).toBe(500);
});

test("imports the valid items in order and assigns edition numbers only to issued items", async () => {
  const storeId = await storeWithEdition(60);
  const order = (unit: number) => ({ id: "450789469", name: "#1001", line: "1", unit });
  const kinds = [
    { outcome: ISSUED, item: () => numbered() },
    { outcome: INVALID, item: () => numbered({ buyer: { email: "nobody" } }) },
    { outcome: ISSUED, item: () => issueItem() },
    { outcome: ISSUED, item: (unit: number) => numbered({ order: order(unit + 1) }) },
    { outcome: ALREADY_ISSUED, item: (unit: number) => numbered({ order: order(unit) }) },
    { outcome: INVALID, item: () => numbered({ order: order(10_001) }) },
  ];
  const planned = upTo(240).map((place) => {
    const kind = kinds[(place - 1) % kinds.length] ?? { outcome: INVALID, item: () => issueItem() };
    return { outcome: kind.outcome, item: kind.item(place) };
  });
  const { results } = await issuing.issueCertificates(
    {
      items: planned.map(({ item }) => item),
      isImport: true,
    },
    inStore(storeId),
  );

  // Each cycle of six items uses two of the 60 edition numbers, so the edition is sold out after 30 cycles.
  expect(results.map(({ outcome }) => outcome)).toEqual(
    planned.map(({ outcome, item }, index) =>
      index >= 180 && outcome !== INVALID && item.product?.sku ? SOLD_OUT : outcome,
    ),
  );
  const listed = await listAll(registry, storeId);
  const issued = results.filter(({ outcome }) => outcome === ISSUED);
  expect(issued).toHaveLength(100);
  expect(listed.map(({ id }) => id)).toEqual(issued.map(({ certificateId }) => certificateId));
  expect(listed.flatMap(({ edition }) => edition?.number ?? [])).toEqual(upTo(60));
  expect(listed.map(({ serial }) => Number(serial))).toEqual(upTo(100));
});

test("a new product makes orders due that wait for its edition only if it has one", async () => {
  const storeId = await createTestStore(registry);
  const { storefronts } = database.collections;
  await storefronts.insertOne({ _id: storeId });
  const product = (id: string) => ({ id, title: "Jacket", variants: [{ sku: `SKU-${id}`, title: "M" }] });
  await admin.putProducts({ products: [product("1")] }, inStore(storeId));
  expect(await storefronts.findOne({ _id: storeId })).not.toHaveProperty("touchWaiting");
  await admin.putProducts({ products: [{ ...product("2"), editionTotal: 3 }] }, inStore(storeId));
  expect((await storefronts.findOne({ _id: storeId }))?.touchWaiting).toHaveLength(1);
});
