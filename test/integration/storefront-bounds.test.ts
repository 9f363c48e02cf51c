import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { openTestEdge, stoppedClock } from "../../services/edge/testing/start-edge.ts";
import { MongoStorefrontProducts } from "../../services/registry/mongo/storefront/mongo-storefront-products.ts";
import { eventually } from "../harness/eventually.ts";
import { metricValues } from "../harness/metric-values.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { openStorefrontRig } from "./storefront-rig.ts";

const { app, registry, openShop } = await openStorefrontRig();
const { storefrontMessages } = registry.database.collections;

test("a store that has sent its messages of a day gets 429 for new ones, which are not stored; repetitions and other stores pass", async () => {
  const edge = await openTestEdge(
    { registryAddress: registry.address, platformSecretFile: app.secretFile },
    { clock: stoppedClock, storeMessagesPerDay: 2, onEnd: onTestFinished },
  );
  const [eager, other] = [await openShop(), await openShop()];
  const send = (shop: string, webhookId: string) =>
    app.send(`http://127.0.0.1:${edge.port}`, {
      shop,
      topic: "orders/paid",
      payload: orderPayload({ id: newOrderId() }),
      webhookId,
    });
  // The platform repeats a message that it believes lost: this uses up nothing.
  for (const webhookId of ["one", "one", "one", "two"]) expect((await send(eager.shop, webhookId)).status).toBe(200);

  const refused = await send(eager.shop, "three");
  expect(refused.status).toBe(429);
  // Half a day, because one of two messages a day may be sent again then.
  expect(refused.headers.get("Retry-After")).toBe("43200");
  expect(await refused.json()).toMatchObject({ error: "rate_limited" });
  expect(await storefrontMessages.countDocuments({ store: eager.storeId })).toBe(2);
  const outcomes = await metricValues(`http://127.0.0.1:${edge.operationsPort}`, "edge_storefront_messages_total");
  expect(outcomes['platform="shopify",outcome="limited"']).toBe(1);
  await eventually(() =>
    expect(edge.log).toContainEqual(expect.objectContaining({ msg: "request", status: 429, shop: eager.shop })),
  );

  expect((await send(other.shop, "one")).status).toBe(200);
});

test("a product beyond a store's maximum is refused; known products still change, and other stores are not affected", async () => {
  const { collections } = registry.database;
  const history = storeHistoryOf(registry.database);
  const products = new MongoStorefrontProducts(collections, history, systemClock, { countMax: 2 });
  const put = (storeId: string, id: string, tags: readonly string[], updatedAtMs: number) =>
    products.put(storeId, [
      {
        product: { id, tags, updatedAtMs, imageUrl: "" },
        rank: { updatedAtMs, triggeredAtMs: updatedAtMs, messageId: id },
      },
    ]);
  // The second store's id continues the first one's: its products do not count for the first.
  for (const id of ["1", "2"]) {
    await put("sto_full", id, [], 1_000);
    await put("sto_fuller", id, [], 1_000);
  }
  await expect(put("sto_full", "3", ["new"], 2_000)).rejects.toMatchObject({
    code: "failed_precondition",
    message: "The store has 2 products, the maximum.",
  });
  await put("sto_full", "2", ["limited"], 2_000);
  await put("sto_other", "3", ["new"], 2_000);
  expect([...(await products.tagsOf("sto_full", ["1", "2", "3"]))]).toEqual([
    ["1", []],
    ["2", ["limited"]],
  ]);
  expect([...(await products.tagsOf("sto_other", ["3"]))]).toEqual([["3", ["new"]]]);
});
