import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../documents/collections.ts";
import { MongoStorefrontInbox } from "./mongo-storefront-inbox.ts";

test("the arrivals of many stores at a time occupy at most eight connections, and all succeed", async () => {
  let inFlight = 0;
  let inFlightMax = 0;
  const collections = {
    storefrontMessages: { insertMany: async () => ({ insertedCount: 1 }) },
    storefronts: {
      updateOne: async () => {
        inFlightMax = Math.max(inFlightMax, ++inFlight);
        await setImmediate();
        inFlight--;
      },
    },
  } as unknown as Collections;
  const inbox = new MongoStorefrontInbox(collections, systemClock);
  const message = { id: "m", topic: "shop/redact", triggeredAtMs: 0, content: { kind: "shop_erasure" } } as const;
  const stores = Array.from({ length: 40 }, (_, index) => `sto_${index}`);
  const added = await Promise.all(stores.map((storeId) => inbox.add(storeId, message, "waiting")));
  expect([new Set(added), inFlightMax]).toEqual([new Set([true]), 8]);
});

test("a transaction that holds one store's document delays only that store's messages", async () => {
  const collections = {
    storefrontMessages: { insertMany: async () => ({ insertedCount: 1 }) },
    storefronts: {
      updateOne: ({ _id }: { _id: string }) =>
        _id === "sto_held" ? Promise.withResolvers<void>().promise : Promise.resolve(),
    },
  } as unknown as Collections;
  const inbox = new MongoStorefrontInbox(collections, systemClock);
  const add = (storeId: string, id: string) =>
    inbox.add(storeId, { id, topic: "shop/redact", triggeredAtMs: 0, content: { kind: "shop_erasure" } }, "waiting");
  for (let batch = 0; batch < 4; batch++) {
    void add("sto_held", `held${batch}`);
    expect(await add("sto_other", `other${batch}`)).toBe(true);
  }
});
