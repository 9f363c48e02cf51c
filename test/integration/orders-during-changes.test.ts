import { expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import { advanceClock } from "../../services/registry/mongo/certificates/store-clock.ts";
import { lineFixture, orderFixture } from "../../services/registry/storefront/order-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
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

  const [begun, compared] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const importer = createRegistry(database, {
    ...clocks,
    advance: async (...args) => {
      // From here on, the transaction reads its snapshot.
      const store = await advanceClock(...args);
      begun.resolve();
      await compared.promise;
      return store;
    },
  });
  const { id, name } = order;
  const { title, variant, sku } = lineFixture();
  const product = { id: "", title, variant, sku };
  const buyer = { name: "Ada", email: "ada@example.test" };
  const item = { product, buyer, order: { id, name, line: "1", unit: 1 }, expiresAt: null };
  const request = { idempotencyKey: "", actor: "test", isImport: true };
  const importing = issueCertificates(importer.queue, storeId, [item], request);
  await begun.promise;
  while (await worker.work(storeId));
  compared.resolve();
  await importing;
  while (await worker.work(storeId));
  const certificates = await database.collections.certificates.find({ store: storeId }).toArray();
  expect(certificates.map(({ status }) => status)).toEqual(["revoked"]);
});
