import { afterAll, expect, test } from "vitest";
import { type Clock, systemClock } from "#shared/time/clock.ts";
import { MongoImports } from "../../services/registry/mongo/imports/mongo-imports.ts";
import { MongoPersonalData } from "../../services/registry/mongo/persons/mongo-personal-data.ts";
import { MongoStorefrontInbox } from "../../services/registry/mongo/storefront/mongo-storefront-inbox.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
afterAll(() => database.close());
const { collections } = database;
const { imports, importParts, rejectedLines } = collections;
const hourMs = 3_600_000;
const time = { ms: Date.parse("2026-11-24T12:00:00.000Z") };
const databaseTime = () => new Date(time.ms);

/** A replica whose clock differs from the database's. */
function replica(aheadMs: number) {
  const now = () => time.ms + aheadMs;
  const clock: Clock = { ...systemClock, now };
  return {
    imports: new MongoImports(collections, storeHistoryOf(database), clock, databaseTime),
    inbox: new MongoStorefrontInbox(collections, clock, databaseTime),
  };
}

/** Uploads a file of one part. @returns the import's id */
async function upload(storeId: string, { imports: uploading }: ReturnType<typeof replica>): Promise<string> {
  const id = newId("imp");
  await uploading.create({ id, storeId, actor: "Ada", fileName: "$orders.csv" });
  await uploading.addPart(storeId, id, 0, Buffer.from("Mina"));
  return id;
}

test.each([
  ["ahead of", hourMs, -hourMs],
  ["behind", -hourMs, hourMs],
])(
  "an erasure deletes the imports from before it, and no later one, by a replica whose clock is %s the others'",
  async (_, eraserMs, uploaderMs) => {
    const storeId = newId("sto");
    const [uploader, eraser] = [replica(uploaderMs), replica(eraserMs)];
    const earlier = await upload(storeId, uploader);

    time.ms += 1;
    const content = { kind: "customer_erasure", email: "mina@example.test", customerId: "", orderIds: [] } as const;
    const message = { id: "redact", topic: "customers/redact", triggeredAtMs: time.ms, content };
    await eraser.inbox.add(storeId, message, "waiting");
    const erasing = await eraser.inbox.beginErasing(storeId, "redact", ["mina@example.test"]);
    expect(erasing).toMatchObject({ emails: ["mina@example.test"], since: databaseTime() });

    time.ms += 1;
    const later = await upload(storeId, uploader);
    // A line that an import adds after the erasure began.
    await rejectedLines.insertMany(
      [earlier, later].map((id) => ({
        _id: { import: id, number: 0 },
        store: storeId,
        createdAt: new Date(time.ms + hourMs),
        line: 1,
        column: "Email",
        reason: "Mina",
      })),
    );
    await new MongoPersonalData(collections).deleteImports(storeId, erasing?.since, true);
    const ofStore = { store: storeId };
    expect(await imports.distinct("_id", ofStore)).toEqual([later]);
    expect(await importParts.distinct("_id.import", ofStore)).toEqual([later]);
    expect(await rejectedLines.distinct("_id.import", ofStore)).toEqual([later]);
    expect(await imports.findOne({ _id: later })).toMatchObject({ fileName: "$orders.csv", createdAt: databaseTime() });
  },
);

test("an erasure that another replica has completed does not begin again", async () => {
  const { inbox } = replica(0);
  expect(await inbox.beginErasing(newId("sto"), "settled", ["mina@example.test"])).toBeUndefined();
});
