import { expect, onTestFinished, test } from "vitest";
import { type ImportCertificatesResponse, IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { inStore } from "#shared/rpc/scope-metadata.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { type IssueItemChanges, issueItem, orderItems } from "../harness/issue-items.ts";
import { listAll } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { connectRegistry } from "../harness/stack/registry-clients.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });
const { ISSUED, ALREADY_ISSUED, INVALID, SOLD_OUT } = IssueOutcome;

interface BatchFields {
  /** The store of the import, in its first batch. */
  readonly storeId?: string;
  readonly idempotencyKey?: string;
  readonly position?: bigint;
}
interface Batch extends BatchFields {
  readonly items: ReturnType<typeof issueItem>[];
}

/** Sends batches as one import. @returns the responses @throws if the import fails */
async function importAll({ issuing }: Pick<typeof registry, "issuing">, batches: readonly Batch[]) {
  const replies: ImportCertificatesResponse[] = [];
  const options = inStore(batches[0]?.storeId ?? "");
  for await (const reply of issuing.importCertificates(toStream(batches), options)) replies.push(reply);
  return replies;
}

async function* toStream(batches: Iterable<Batch>): AsyncGenerator<Batch> {
  yield* batches;
}

/** Splits the items into batches of `size`. @param first fields that only the first batch contains */
function toBatches(items: Batch["items"], size: number, first: BatchFields): Batch[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => ({
    ...(index === 0 ? first : {}),
    items: items.slice(index * size, (index + 1) * size),
  }));
}

/** Returns items that belong to no order; every second item equals the item before it. */
function itemsByHand(count: number, changes: IssueItemChanges = {}) {
  return Array.from({ length: count }, (_, index) =>
    issueItem({ buyer: { name: `Buyer ${Math.floor(index / 2)}` }, ...changes }),
  );
}

const resultsOf = (replies: readonly ImportCertificatesResponse[]) => replies.flatMap(({ results }) => results);
const outcomesOf = (replies: readonly ImportCertificatesResponse[]) => resultsOf(replies).map(({ outcome }) => outcome);
const idsOf = (replies: readonly ImportCertificatesResponse[]) =>
  resultsOf(replies).map(({ certificateId }) => certificateId);

test("issues no item twice when an import whose response was lost is repeated in batches of a different size", async () => {
  const storeId = await createTestStore(registry);
  const items = itemsByHand(50);
  const first = { storeId, idempotencyKey: "spring" };
  const proxy = await startCutProxy(registry.address);
  onTestFinished(() => proxy.close());
  const { close, ...client } = connectRegistry(proxy.address);
  onTestFinished(close);
  const issuedCount = () => registry.database.collections.certificates.countDocuments({ store: storeId });

  const answered: ImportCertificatesResponse[] = [];
  const firstAnswer = Promise.withResolvers<void>();
  async function* broken() {
    yield { ...first, items: items.slice(0, 20) };
    await firstAnswer.promise;
    proxy.loseReplies();
    yield { items: items.slice(20, 40) };
    await eventually(async () => expect(await issuedCount()).toBe(40), { withinMs: 10_000 });
    proxy.heal();
  }
  const breaking = async () => {
    for await (const reply of client.issuing.importCertificates(broken(), inStore(storeId))) {
      answered.push(reply);
      firstAnswer.resolve();
    }
  };
  await expect(breaking()).rejects.toThrow();
  expect(outcomesOf(answered)).toEqual(Array(20).fill(ISSUED));

  const repeated = await importAll(replica, toBatches(items, 15, first));
  expect(outcomesOf(repeated)).toEqual([...Array(40).fill(ALREADY_ISSUED), ...Array(10).fill(ISSUED)]);
  expect(idsOf(repeated).slice(0, 20)).toEqual(idsOf(answered));
  expect(new Set(idsOf(repeated)).size).toBe(50);
  expect((await listAll(registry, storeId)).map(({ owner }) => owner.name)).toEqual(
    items.map((_, index) => `Buyer ${Math.floor(index / 2)}`),
  );
});

test("continues an import at the nextPosition of the last response", async () => {
  const storeId = await createTestStore(registry);
  const items = itemsByHand(30);
  const first = { storeId, idempotencyKey: "spring" };
  const [one] = await importAll(registry, [{ ...first, items: items.slice(0, 12) }]);
  expect(one).toMatchObject({ itemsDone: 12n, nextPosition: 12n });
  const position = one?.nextPosition ?? 0n;
  const rest = await importAll(replica, toBatches(items.slice(Number(position)), 10, { ...first, position }));
  expect(rest.map(({ itemsDone, nextPosition }) => [itemsDone, nextPosition])).toEqual([
    [10n, 22n],
    [18n, 30n],
  ]);
  expect(outcomesOf(rest)).toEqual(Array(18).fill(ISSUED));
  expect(new Set(outcomesOf(await importAll(registry, toBatches(items, 30, first))))).toEqual(
    new Set([ALREADY_ISSUED]),
  );
  expect(await listAll(registry, storeId)).toHaveLength(30);
});

test("issues each item once when two calls send the same import concurrently", async () => {
  const storeId = await createTestStore(registry);
  const batches = () => toBatches(itemsByHand(60), 20, { storeId, idempotencyKey: "spring" });
  const [here, there] = await Promise.all([importAll(registry, batches()), importAll(replica, batches())]);
  expect(idsOf(here)).toEqual(idsOf(there));
  expect(await listAll(registry, storeId)).toHaveLength(60);
});

test("issues items without an order again when the store or idempotency key differs or no key is set", async () => {
  const storeId = await createTestStore(registry);
  const items = itemsByHand(3);
  const elsewhere = await createTestStore(registry);
  const starts = [
    { storeId },
    { storeId },
    { storeId, idempotencyKey: "a" },
    { storeId, idempotencyKey: "b" },
    { storeId: elsewhere, idempotencyKey: "a" },
  ];
  for (const start of starts)
    expect(outcomesOf(await importAll(registry, [{ ...start, items }]))).not.toContain(ALREADY_ISSUED);
  expect(await listAll(registry, storeId)).toHaveLength(12);
});

test("identifies an item with an order by its order unit, in any import and at any position", async () => {
  const storeId = await createTestStore(registry);
  const [unit] = orderItems(1);
  if (unit === undefined) throw new Error("there is no item");
  await importAll(registry, [{ storeId, idempotencyKey: "a", items: [unit] }]);
  const again = await importAll(replica, [{ storeId, idempotencyKey: "b", items: [issueItem(), unit] }]);
  expect(outcomesOf(again)).toEqual([ISSUED, ALREADY_ISSUED]);
});

test("processes invalid and sold-out items again when an import is repeated", async () => {
  const storeId = await createTestStore(registry);
  const product = { id: "7", title: "Print", variants: [{ sku: "P-1", title: "A3" }] };
  await registry.admin.putProducts({ products: [{ ...product, editionTotal: 1 }] }, inStore(storeId));
  const ofEdition = issueItem({ product: { sku: "P-1" } });
  const items = [ofEdition, ofEdition, issueItem({ buyer: { email: "nobody" } })];
  const batch = { storeId, idempotencyKey: "spring", items };
  expect(outcomesOf(await importAll(registry, [batch]))).toEqual([ISSUED, SOLD_OUT, INVALID]);
  await registry.admin.putProducts({ products: [{ ...product, title: "Poster", editionTotal: 2 }] }, inStore(storeId));
  const corrected = { ...batch, items: [ofEdition, ofEdition, issueItem()] };
  expect(outcomesOf(await importAll(replica, [corrected]))).toEqual([ALREADY_ISSUED, ISSUED, ISSUED]);
});

test("returns conflict and writes nothing when an item differs from the item issued earlier at the same position", async () => {
  const storeId = await createTestStore(registry);
  const items = Array.from({ length: 4 }, (_, index) => issueItem({ buyer: { name: `Buyer ${index}` } }));
  const first = { storeId, idempotencyKey: "spring" };
  await importAll(registry, [{ ...first, items }]);
  await expectNothingChanged(registry.database, async () => {
    const others = [
      [issueItem({ buyer: { name: "Inserted" } }), ...items],
      [issueItem({ buyer: { name: "Buyer 0", email: "other@example.test" } })],
      [issueItem({ buyer: { name: "Buyer 0" }, product: { title: "Other" } })],
      [issueItem({ buyer: { name: "Buyer 0" }, product: { sku: "OTHER" } })],
      [issueItem({ buyer: { name: "Buyer 0" }, expiresAt: { seconds: 4_000_000_000n } })],
    ];
    for (const changed of others)
      expect(await refusalOf(importAll(replica, [{ ...first, items: changed }]))).toMatchObject({
        code: "conflict",
        field: "idempotency_key",
        message:
          "The idempotency key was already used for an import with a different item at position 0. Use a new key.",
      });
  });
});

test.each<[problem: string, field: string, first: BatchFields, second: BatchFields]>([
  ["a malformed key", "idempotency_key", { idempotencyKey: "a b" }, {}],
  ["a key that is too long", "idempotency_key", { idempotencyKey: "a".repeat(65) }, {}],
  ["a different key in a later batch", "idempotency_key", { idempotencyKey: "a" }, { idempotencyKey: "b" }],
  ["a key that only a later batch has", "idempotency_key", {}, { idempotencyKey: "a" }],
  ["a position without a key", "position", { position: 0n }, {}],
])("rejects %s and names the field %s", async (_, field, first, second) => {
  const storeId = await createTestStore(registry);
  const batches = [first, second].map((fields) => ({ storeId, items: [issueItem()], ...fields }));
  expect(await refusalOf(importAll(registry, batches))).toMatchObject({ code: "bad_request", field });
});
