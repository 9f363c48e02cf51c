import { Binary } from "mongodb";
import { expect, test } from "vitest";
import { newEntry } from "../../services/registry/mongo/documents/trigger-documents.ts";
import { findSnapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { admitEvents } from "../../services/registry/mongo/triggers/admit-events.ts";
import { runInWorld } from "./run-in-world.ts";

const hourMs = 3_600_000;

test("a head from before the database's clock was set back stays fresh until a replica that knows of it makes it due", async () => {
  await runInWorld(
    1,
    async ({ collections, world }) => {
      const before = world.now();
      const after = before - hourMs;
      const ids = { store: "store", trigger: "trigger", certificate: "certificate", eventId: "evt_1" };
      const entry = { ...ids, type: 1, at: new Date(before), event: new Binary(Buffer.from("?")) };
      await collections.triggerDeliveries.insertOne(newEntry(entry, new Date(before)));
      const admit = (now: number) =>
        admitEvents(
          { collections, databaseTime: () => new Date(after), readSnapshot: findSnapshotReader() },
          { now, countMax: 10, timeLimitMs: 1_000 },
        );
      await admit(before);
      expect(await collections.triggerDeliveries.findOne()).toMatchObject({ fresh: true });
      await admit(after);
      const admitted = await collections.triggerDeliveries.findOne();
      expect(admitted).toMatchObject({ dueAt: new Date(after) });
      expect(admitted).not.toHaveProperty("fresh");
    },
    () => undefined,
  );
});

test("a head that is settled meanwhile leaves only its own followers fresh", async () => {
  await runInWorld(
    1,
    async ({ collections, world }) => {
      const { triggerDeliveries } = collections;
      const now = world.now();
      const certificates = ["a", "b", "c"];
      for (const [index, eventId] of ["evt_1", "evt_2"].entries())
        await triggerDeliveries.insertMany(
          certificates.map((certificate, place) =>
            newEntry(
              {
                store: "store",
                trigger: "trigger",
                certificate,
                eventId: `${eventId}_${certificate}`,
                type: 1,
                at: new Date(now + 10 * index + place),
                event: new Binary(Buffer.from("?")),
              },
              undefined,
            ),
          ),
        );
      let writes = 0;
      const bulkWrite: typeof triggerDeliveries.bulkWrite = async (operations, options) => {
        // After the heads were made, and before their followers are noted.
        const settled = { $set: { state: "delivered" }, $unset: { dueAt: 1, fresh: 1 } } as const;
        if (++writes === 2) await triggerDeliveries.updateOne({ _id: "trigger/evt_1_b" }, settled);
        return triggerDeliveries.bulkWrite(operations, options);
      };
      const settling = new Proxy(triggerDeliveries, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (name === "bulkWrite") return bulkWrite;
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
      await admitEvents(
        {
          collections: { ...collections, triggerDeliveries: settling },
          databaseTime: () => new Date(now),
          readSnapshot: findSnapshotReader(),
        },
        { now, countMax: 10, timeLimitMs: 1_000 },
      );
      const fresh = await triggerDeliveries.find({ fresh: true }).toArray();
      expect(fresh.map(({ _id }) => _id)).toEqual(["trigger/evt_2_b"]);
    },
    () => undefined,
  );
});
