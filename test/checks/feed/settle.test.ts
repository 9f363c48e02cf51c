import { expect, test } from "vitest";
import { actorRandom } from "../../harness/seeded-random.ts";
import { Counter } from "../runner/counter.ts";
import { FeedClient } from "./feed-client.ts";
import { settle } from "./settle.ts";

const client = () =>
  new FeedClient({
    name: "client-1",
    storeId: "s1",
    filter: {},
    limit: 10,
    joinsAt: 0,
    changes: () => 0,
    edges: [async () => ({ page: { certificates: [], nextCursor: null } })],
    random: actorRandom(1, "client-1"),
    replies: new Counter(),
  });

/** Creates a reader whose database receives a change before each read of the state, up to `changesMax` changes. */
function changingUntil(changesMax: number) {
  let changes = 0;
  return {
    countChanges: async () => changes,
    readExpectedState: async () => {
      changes = Math.min(changes + 1, changesMax);
      return { stores: new Map(), changedAt: new Map([["s1", Array<string>(changes).fill("")]]) };
    },
  };
}

test("repeats rounds until one passes without a change", async () => {
  const clients = [client()];
  const { expected, isQuiet } = await settle(clients, changingUntil(3));
  expect(expected.changedAt.get("s1")).toHaveLength(3);
  expect(isQuiet).toBe(true);
  expect(clients.map(({ isCaughtUp }) => isCaughtUp)).toEqual([true]);
});

test("does not count the clients as caught up when changes are made in every round", async () => {
  const clients = [client()];
  const { isQuiet } = await settle(clients, changingUntil(100));
  expect(isQuiet).toBe(false);
  expect(clients.map(({ isCaughtUp }) => isCaughtUp)).toEqual([false]);
});
