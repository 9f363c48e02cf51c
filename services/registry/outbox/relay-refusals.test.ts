import { expect, test } from "vitest";
import { entry, testRig, until } from "./relay-fixture.ts";

test("keeps publishing other stores' events during refusals, and then publishes the refused events in order", async () => {
  const published: string[] = [];
  let isRefused = true;
  const { log, relay, outbox, elapse } = testRig([entry("a1"), entry("a2"), entry("b1", "sto_2")], {
    publish: async ({ eventId, storeId }) => {
      if (storeId === "sto_1" && isRefused) return "refused";
      published.push(eventId);
      outbox.entries.delete(eventId);
      return undefined;
    },
  });
  relay.start();
  await elapse(30_000);
  outbox.put(entry("c1", "sto_3"));
  await until(() => expect(published).toEqual(["b1", "c1"]));
  isRefused = false;
  await until(() => expect(published).toEqual(["b1", "c1", "a1", "a2"]));
  // No refusal has made the relay prepare the stream again.
  expect(log).toEqual(["prepare"]);
});

test("publishes a certificate's next event after an event that was settled instead of published", async () => {
  const published: string[] = [];
  const { log, relay, outbox } = testRig([entry("a1"), entry("a2")], {
    publish: async ({ eventId }) => {
      outbox.entries.delete(eventId);
      if (eventId === "a1") return "settled";
      published.push(eventId);
      return undefined;
    },
  });
  relay.start();
  await until(() => expect(published).toEqual(["a2"]));
  expect(log).toEqual(["prepare"]);
});
