import { Binary } from "mongodb";
import { expect, test } from "vitest";
import { steadyClock } from "#shared/time/clock.ts";
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
      await collections.triggerDeliveries.insertOne(newEntry(entry, before));
      const admit = (now: number) =>
        admitEvents(
          { collections, databaseTime: () => new Date(after), readSnapshot: findSnapshotReader(steadyClock) },
          { now, countMax: 10, timeLimitMs: 1_000 },
        );
      await admit(before);
      expect(await collections.triggerDeliveries.findOne()).toMatchObject({ fresh: true });
      await admit(after);
      const admitted = await collections.triggerDeliveries.findOne();
      expect(admitted).toMatchObject({ dueAt: after });
      expect(admitted).not.toHaveProperty("fresh");
    },
    () => undefined,
  );
});
