import { Binary, BSON, MongoClient, MongoError, MongoErrorLabel } from "mongodb";
import { describe, expect, test } from "vitest";
import { killSessionsOf } from "../../../services/registry/mongo/opening/replica-heartbeat.ts";
import { World } from "../world/world.ts";
import { listen } from "./simulated-driver.ts";
import { SimulatedServer, type SimulatedServerOptions } from "./simulated-server.ts";

interface Item {
  readonly _id: string;
  readonly count?: number;
  readonly at?: Date;
}

const majority = { readConcern: { level: "majority" }, writeConcern: { w: "majority" } } as const;
const increment = { $inc: { count: 1 } };

/** Runs a test in a world with a server. */
function inWorld(
  run: (parts: { world: World; server: SimulatedServer; client: MongoClient }) => Promise<void>,
  options: Omit<SimulatedServerOptions, "clock"> = {},
): Promise<void> {
  const world = new World(1);
  return world.run(async () => {
    const server = new SimulatedServer({ clock: world.clock, ...options });
    using listening = listen((command) => server.run(command), "test");
    await using client = new MongoClient(listening.uri, majority);
    await run({ world, server, client });
  });
}

const itemsOf = (client: MongoClient) => client.db().collection<Item>("items");

/** Changes the item in a transaction that stays open. */
async function openTransaction(client: MongoClient) {
  const session = client.startSession();
  session.startTransaction();
  await itemsOf(client).updateOne({ _id: "a" }, increment, { session });
  return session;
}

describe("a failover", () => {
  const replicationMs = () => 50;

  test("rolls back a write that no majority has, which nobody has read; the driver repeats it", async () => {
    await inWorld(
      async ({ world, server, client }) => {
        const items = itemsOf(client);
        const written = items.insertOne({ _id: "a", count: 1 });
        await world.delay(10);
        expect(await items.findOne()).toBeNull();
        server.failOver();
        expect(await items.countDocuments()).toBe(0);
        await written;
        expect(await items.findOne()).toEqual({ _id: "a", count: 1 });
      },
      { replicationMs },
    );
  });

  test("keeps a write that was acknowledged, and aborts transactions", async () => {
    await inWorld(
      async ({ server, client }) => {
        await itemsOf(client).insertOne({ _id: "a", count: 1 });
        await using session = await openTransaction(client);
        server.failOver();
        const error: unknown = await session.commitTransaction().catch((failure: unknown) => failure);
        expect(error).toMatchObject({ code: 251 });
        expect(await itemsOf(client).findOne()).toEqual({ _id: "a", count: 1 });
      },
      { replicationMs },
    );
  });

  test("takes back the commit of a transaction that no majority has: its retry reports a rollback", async () => {
    await inWorld(
      async ({ world, server, client }) => {
        await itemsOf(client).insertOne({ _id: "a", count: 1 });
        await using session = await openTransaction(client);
        const committed = session.commitTransaction().catch((failure: unknown) => failure);
        await world.delay(10);
        server.failOver();
        const error = await committed;
        expect(error).toMatchObject({ code: 251 });
        expect(error).toSatisfy(
          (it) => it instanceof MongoError && it.hasErrorLabel(MongoErrorLabel.TransientTransactionError),
        );
        expect(await itemsOf(client).findOne()).toEqual({ _id: "a", count: 1 });
      },
      { replicationMs },
    );
  });

  test("frees the unique keys of what it rolls back, and holds those of what it restores", async () => {
    await inWorld(
      async ({ world, server, client }) => {
        const items = itemsOf(client);
        await items.createIndex({ count: 1 }, { unique: true });
        await items.insertOne({ _id: "a", count: 1 });
        void items.updateOne({ _id: "a" }, { $set: { count: 2 } }, { maxTimeMS: 1 }).catch(() => undefined);
        await world.delay(10);
        server.failOver();
        await expect(items.insertOne({ _id: "b", count: 1 })).rejects.toMatchObject({ code: 11_000 });
      },
      { replicationMs },
    );
  });
});

test("a failover keeps the record of a write that a majority has: its repetition changes nothing", async () => {
  await inWorld(
    async ({ world, server, client }) => {
      await itemsOf(client).insertMany([{ _id: "a" }, { _id: "b" }]);
      const lsid = { id: new Binary(Buffer.alloc(16, 1), Binary.SUBTYPE_UUID) };
      const update = {
        update: "items",
        updates: [{ q: { _id: "a" }, u: increment }],
        $db: "test",
        lsid,
        txnNumber: 1n,
      };
      const durable = server.run(update);
      await world.delay(25);
      void itemsOf(client)
        .updateOne({ _id: "b" }, increment)
        .catch(() => undefined);
      await durable;
      server.failOver();
      await server.run(update);
      expect(await itemsOf(client).findOne({ _id: "a" })).toEqual({ _id: "a", count: 1 });
    },
    { replicationMs: () => 50 },
  );
});

test("a failover leaves a half of a batch; its repetition executes only the other half", async () => {
  await inWorld(
    async ({ world, server, client }) => {
      await itemsOf(client).insertMany([{ _id: "a" }, { _id: "b" }]);
      const written = itemsOf(client).bulkWrite(
        ["a", "b"].map((_id) => ({ updateOne: { filter: { _id }, update: increment } })),
      );
      await world.delay(5);
      // This write makes the first half durable.
      await itemsOf(client).insertOne({ _id: "c" });
      server.failOver();
      expect(await itemsOf(client).find().toArray()).toEqual([{ _id: "a", count: 1 }, { _id: "b" }, { _id: "c" }]);
      expect(await written).toMatchObject({ modifiedCount: 2 });
      expect(await itemsOf(client).findOne({ _id: "a" })).toEqual({ _id: "a", count: 1 });
    },
    { pauseMs: () => 10 },
  );
});

test.for([
  ["snapshot", [0, 0]],
  ["majority", [0, 1]],
] as const)("a read with read concern %s sees its documents as %o while both change", async ([level, counts]) => {
  await inWorld(
    async ({ world, client }) => {
      const items = itemsOf(client);
      const ids = ["a", "b", "c", "d", "e"];
      await items.insertMany(ids.map((_id) => ({ _id, count: 0 })));
      const found = items.find({}, { readConcern: { level } }).toArray();
      await world.delay(5);
      await items.updateOne({ _id: "a" }, increment);
      await items.updateOne({ _id: "e" }, increment);
      const [first, last] = [(await found).at(0), (await found).at(-1)];
      expect([first?.count, last?.count]).toEqual(counts);
    },
    { pauseMs: () => 10 },
  );
});

test("a cursor that is closed early is killed", async () => {
  await inWorld(async ({ client }) => {
    await itemsOf(client).insertMany([{ _id: "a" }, { _id: "b" }]);
    const cursor = itemsOf(client).find({}, { batchSize: 1 });
    await cursor.next();
    const { id } = cursor;
    await cursor.close();
    const getMore = client.db().command({ getMore: id, collection: "items" });
    await expect(getMore).rejects.toThrow(`cursor id ${id} not found`);
  });
});

test("refuses options of commands and modifiers of updates that it lacks", async () => {
  await inWorld(async ({ client }) => {
    const items = client.db().collection<{ readonly list: number[] }>("items");
    await items.insertOne({ list: [1] });
    const refused = (run: Promise<unknown>, text: string) => expect(run).rejects.toThrow(text);
    await refused(items.findOne({}, { collation: { locale: "en" } }), "collation");
    await refused(items.updateOne({}, { $set: { "list.$[one]": 2 } }, { arrayFilters: [{ one: 1 }] }), "arrayFilters");
    await refused(items.updateOne({}, { $set: { "list.$[]": 2 } }), "list.$[]");
    await refused(items.updateOne({}, { $push: { list: { $each: [2], $slice: -1 } } }), "$slice");
  });
});

test("refuses a write whose number is older than the latest one of its session", async () => {
  await inWorld(async ({ server }) => {
    const lsid = { id: new Binary(Buffer.alloc(16, 1), Binary.SUBTYPE_UUID) };
    const run = async (txnNumber: bigint) =>
      BSON.deserialize(
        await server.run({ insert: "items", documents: [{ _id: txnNumber }], $db: "test", lsid, txnNumber }),
      );
    expect(await run(2n)).toMatchObject({ ok: 1 });
    expect(await run(1n)).toMatchObject({ ok: 0, code: 225 });
  });
});

test("a unique key that a transaction's snapshot still shows conflicts", async () => {
  await inWorld(async ({ client }) => {
    const items = itemsOf(client);
    await items.createIndex({ count: 1 }, { unique: true });
    await items.insertOne({ _id: "a", count: 1 });
    await using session = client.startSession();
    session.startTransaction();
    await items.findOne({}, { session });
    await items.updateOne({ _id: "a" }, { $set: { count: 2 } });
    await expect(items.insertOne({ _id: "b", count: 1 }, { session })).rejects.toMatchObject({ code: 112 });
  });
});

test("a write waits for a transaction's document until the server ends the transaction", async () => {
  await inWorld(async ({ world, client }) => {
    await itemsOf(client).insertOne({ _id: "a", count: 1 });
    await using _session = await openTransaction(client);
    const startedAt = world.now();
    await itemsOf(client).updateOne({ _id: "a" }, increment);
    expect(world.now() - startedAt).toBe(15_000);
    expect(await itemsOf(client).findOne()).toEqual({ _id: "a", count: 2 });
  });
});

test("killSessions interrupts a write of the session that waits, and frees what its transactions lock", async () => {
  await inWorld(async ({ world, client }) => {
    const items = itemsOf(client);
    await items.insertOne({ _id: "a", count: 1 });
    await using locking = await openTransaction(client);
    await using waiting = client.startSession();
    const interrupted = items.updateOne({ _id: "a" }, increment, { session: waiting }).catch((error: unknown) => error);
    await world.delay(1);
    const kill = (ids: Parameters<typeof killSessionsOf>[0]) => client.db("admin").command({ ...killSessionsOf(ids) });
    if (waiting.id === undefined || locking.id === undefined) throw new Error("a session has no id");
    await kill([waiting.id.id]);
    expect(await interrupted).toMatchObject({ code: 11_601 });
    await kill([locking.id.id]);
    await items.updateOne({ _id: "a" }, increment);
    expect(await items.findOne()).toEqual({ _id: "a", count: 2 });
  });
});

test("a document of a TTL index is deleted once its life has ended, by the server's clock", async () => {
  await inWorld(async ({ world, server, client }) => {
    const items = itemsOf(client);
    await items.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await items.insertMany([{ _id: "a", at: new Date(world.now()) }, { _id: "b" }]);
    expect(server.removeExpired()).toBe(0);
    await world.delay(60_000);
    expect(server.removeExpired()).toBe(1);
    expect(await items.find().toArray()).toEqual([{ _id: "b" }]);
  });
});

test("what a client stores and reads shares no object with the server", async () => {
  await inWorld(async ({ client }) => {
    const document = { _id: "a", at: new Date(0) };
    await itemsOf(client).insertOne(document);
    document.at.setTime(1);
    const found = await itemsOf(client).findOne();
    found?.at?.setTime(2);
    expect(await itemsOf(client).findOne()).toEqual({ _id: "a", at: new Date(0) });
  });
});
