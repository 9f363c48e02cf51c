import { expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import { lineFixture, orderFixture } from "../../services/registry/storefront/order-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { heldTransaction } from "../simulation/held-transaction.ts";
import { createRegistry } from "../simulation/simulated-registry.ts";
import { createSimulatedStore } from "../simulation/simulated-store.ts";

const database = await openTestDatabase();
const clocks = { clock: systemClock, databaseClock: systemClock };

test("an order that arrives cancelled while an import issues its certificates keeps none of them", async () => {
  const storeId = await createSimulatedStore(database, "shop.example.test");
  const worker = createRegistry(database, clocks);
  const order = orderFixture({ isCancelled: true });
  const message = { id: "m1", topic: "orders/cancelled", triggeredAtMs: 0, content: { kind: "order", order } } as const;
  // Before the transaction begins, which would conflict with the arrival.
  await worker.inbox.add(storeId, message, "waiting");

  const { advance, begun, release } = heldTransaction();
  const importer = createRegistry(database, { ...clocks, advance });
  const { id, name } = order;
  const { title, variant, sku } = lineFixture();
  const product = { id: "", title, variant, sku };
  const buyer = { name: "Ada", email: "ada@example.test" };
  const item = { product, buyer, order: { id, name, line: "1", unit: 1 }, expiresAt: null };
  const request = { idempotencyKey: "", actor: "test", isImport: true };
  const importing = issueCertificates(importer.queue, storeId, [item], request);
  await begun;
  while (await worker.work(storeId));
  release();
  await importing;
  while (await worker.work(storeId));
  const certificates = await database.collections.certificates.find({ store: storeId }).toArray();
  expect(certificates.map(({ status }) => status)).toEqual(["revoked"]);
});
