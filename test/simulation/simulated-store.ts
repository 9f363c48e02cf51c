import { systemClock } from "#shared/time/clock.ts";
import { MongoWebhooks } from "../../services/registry/mongo/deliveries/mongo-webhooks.ts";
import { MongoStoreDirectory } from "../../services/registry/mongo/stores/mongo-store-directory.ts";
import { MongoStoreHistory } from "../../services/registry/mongo/stores/mongo-store-history.ts";
import { createStore } from "../../services/registry/stores/create-store.ts";
import type { SimulatedWorld } from "./run-in-world.ts";
import { simulatedBox } from "./simulated-replica.ts";

/** The only variant of the catalogue of each simulated store. */
export const simulatedSku = "PRINT";

/** The history of stores, for administrators whose registry is not simulated. */
export function storeHistoryOf({ client, collections }: Pick<SimulatedWorld, "client" | "collections">) {
  return new MongoStoreHistory({
    client,
    collections,
    clock: systemClock,
    onRecorded: () => undefined,
  });
}

/**
 * Creates a store with a limited product and a webhook.
 *
 * @param host of its shop, and of the receiver of its webhook
 * @returns its id
 */
export async function createSimulatedStore(
  { client, collections }: Pick<SimulatedWorld, "client" | "collections">,
  host: string,
): Promise<string> {
  const history = storeHistoryOf({ client, collections });
  const stores = new MongoStoreDirectory(collections, history, systemClock);
  const { id } = await createStore(stores, {
    editionStyle: "number_total",
    verifyBaseUrl: "",
    language: "en",
    displayName: "",
    ownerDisplay: "nothing",
    shop: host,
    plan: "pro",
    actor: "simulation",
  });
  const product = { id: "1", title: "Print", variants: [{ sku: simulatedSku, title: "" }], editionTotal: 10_000 };
  await stores.putProducts(id, [product], { action: "products.put", actor: "simulation", details: {} });
  const webhook = { url: `https://${host}/`, newSecret: null, format: null };
  const change = { action: "webhook.set" as const, actor: "simulation", details: {} };
  await new MongoWebhooks(collections.stores, history, simulatedBox, systemClock).set(id, webhook, change);
  return id;
}
