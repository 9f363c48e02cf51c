import { expect, test } from "vitest";
import { eraseUntilNothingIsFound } from "#shared/erasure/erase-until-nothing-is-found.ts";
import { reason } from "#shared/reasons/reason.ts";
import { type Clock, systemClock } from "#shared/time/clock.ts";
import { importLeaseMs, noProgress } from "../../services/registry/imports/imports.ts";
import { compoundKey } from "../../services/registry/mongo/documents/compound-key.ts";
import { MongoImports } from "../../services/registry/mongo/imports/mongo-imports.ts";
import { MongoPersonalData } from "../../services/registry/mongo/persons/mongo-personal-data.ts";
import { MongoStorefrontInbox } from "../../services/registry/mongo/storefront/mongo-storefront-inbox.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { Freezer } from "../simulation/freezer.ts";

const database = await openTestDatabase();
const { client, collections } = database;
const { imports, importParts, rejectedLines } = collections;
const hourMs = 3_600_000;
const time = { ms: Date.parse("2026-11-24T12:00:00.000Z") };
const databaseTime = () => new Date(time.ms);

/** A replica whose clock differs from the database's. */
function replica(aheadMs: number, freezer = new Freezer()) {
  const now = () => time.ms + aheadMs;
  const clock: Clock = { ...systemClock, now };
  return {
    imports: new MongoImports(
      { imports, importParts: freezer.wrap(importParts), rejectedLines: freezer.wrap(rejectedLines) },
      storeHistoryOf(database),
      clock,
      databaseTime,
    ),
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
        _id: compoundKey(id, 0),
        import: id,
        store: storeId,
        createdAt: new Date(time.ms + hourMs),
        lines: [{ number: 1, line: 1, column: "Email", reason: reason("sold_out", { title: "Mina" }), firstUnit: 1 }],
      })),
    );
    await new MongoPersonalData({ client, collections }).deleteImports(storeId, erasing?.since, true);
    const ofStore = { store: storeId };
    expect(await imports.distinct("_id", ofStore)).toEqual([later]);
    expect(await importParts.distinct("import", ofStore)).toEqual([later]);
    expect(await rejectedLines.distinct("import", ofStore)).toEqual([later]);
    expect(await imports.findOne({ _id: later })).toMatchObject({ fileName: "$orders.csv", createdAt: databaseTime() });
  },
);

test("an erasure that begins after the database's clock was set back deletes the imports from before", async () => {
  const storeId = newId("sto");
  const one = replica(0);
  const { inbox } = one;
  await upload(storeId, one);
  time.ms -= hourMs;
  const content = { kind: "shop_erasure" } as const;
  await inbox.add(storeId, { id: "redact", topic: "shop/redact", triggeredAtMs: time.ms, content }, "waiting");
  const erasing = await inbox.beginErasing(storeId, "redact", []);
  expect(await new MongoPersonalData({ client, collections }).deleteImports(storeId, erasing?.since, true)).toBe(0);
  expect(await imports.countDocuments({ store: storeId })).toBe(0);
  time.ms += hourMs;
});

const frozenAt = [
  ["before", 1],
  ["after", 2],
] as const;
const line = { number: 1, line: 2, column: "Email", reason: reason("sold_out", { title: "Mina" }), firstUnit: 1 };

test.each(frozenAt)(
  "no rejected line is stored after an erasure by a replica that froze %s the write of the lines",
  async (_, calls) => {
    const storeId = newId("sto");
    const freezer = new Freezer();
    const [frozen, other] = [replica(0, freezer), replica(0)];
    const id = await upload(storeId, other);
    await other.imports.start(storeId, id, "examining", "Ada");
    const claim = await frozen.imports.claim();
    if (claim === undefined) throw new Error("The import is not claimed.");
    freezer.freezeAt(calls);
    const saving = frozen.imports.save(claim, { ...noProgress, rejectedLines: 1 }, { number: 0, lines: [line] });
    expect(await freezer.run(saving)).toBe(false);

    time.ms += importLeaseMs;
    const next = await other.imports.claim();
    if (next === undefined) throw new Error("The import is not claimed again.");
    // Not the same group: until the frozen replica's transaction has been ended, that would be a conflict.
    const saved = await other.imports.save(next, { ...noProgress, rejectedLines: 1 }, { number: 1, lines: [line] });
    expect(saved).toBe("saved");
    await other.imports.finish(next, noProgress, null);
    await new MongoPersonalData({ client, collections }).deleteImports(storeId, undefined, true);
    freezer.thaw();
    expect(await saving).toBe("lost");
    expect(await rejectedLines.countDocuments({ store: storeId })).toBe(0);
  },
);

test.each(frozenAt)(
  "no part of a file is stored after an erasure by a replica that froze %s the write of the part",
  async (_, calls) => {
    const storeId = newId("sto");
    const freezer = new Freezer();
    const [frozen, other] = [replica(0, freezer), replica(0)];
    const id = await upload(storeId, other);
    freezer.freezeAt(calls);
    const adding = frozen.imports.addPart(storeId, id, 1, Buffer.from("Mina"));
    expect(await freezer.run(adding)).toBe(false);

    await new MongoPersonalData({ client, collections }).deleteImports(storeId, undefined, true);
    freezer.thaw();
    await expect(adding).rejects.toThrow("import");
    expect(await importParts.countDocuments({ store: storeId })).toBe(0);
  },
);

/** Begins to erase a store's imports, by a replica that freezes when it has deleted the documents of a collection. */
async function freezeErasureAfter(deleted: "importParts" | "rejectedLines", storeId: string) {
  time.ms += 1;
  const freezer = new Freezer();
  const wrapped = { ...collections, [deleted]: freezer.wrap(collections[deleted]) };
  freezer.freezeAt(2);
  const deleting = new MongoPersonalData({ client, collections: wrapped }).deleteImports(storeId, databaseTime(), true);
  expect(await freezer.run(deleting)).toBe(false);
  return { freezer, deleting };
}

/** Begins to examine an uploaded file. `end` stores a rejected line, and finishes the examination. */
async function examine(storeId: string) {
  const { imports: running } = replica(0);
  const id = await upload(storeId, replica(0));
  await running.start(storeId, id, "examining", "Ada");
  const claim = await running.claim();
  if (claim === undefined) throw new Error("The import is not claimed.");
  const end = async () => {
    await running.save(claim, noProgress, { number: 0, lines: [line] });
    await running.finish(claim, noProgress, null);
  };
  return { end };
}

test("an import that ends while an erasure deletes its lines leaves none behind", async () => {
  const storeId = newId("sto");
  const { end } = await examine(storeId);
  const { freezer, deleting } = await freezeErasureAfter("rejectedLines", storeId);
  await end();
  freezer.thaw();
  expect(await deleting).toBe(1);
  expect(await new MongoPersonalData({ client, collections }).deleteImports(storeId, databaseTime(), true)).toBe(0);
  expect(await rejectedLines.countDocuments({ store: storeId })).toBe(0);
});

test("an erasure leaves nothing of an import that ran when its lines were deleted, and has ended before the search", async () => {
  const storeId = newId("sto");
  const { end } = await examine(storeId);
  const data = new MongoPersonalData({ client, collections });
  let passes = 0;
  const step = async ({ isSearch }: { readonly isSearch: boolean }) => {
    const waitingCount = await data.deleteImports(storeId, undefined, !isSearch);
    if (++passes === 1) await end();
    return { count: 0, waitingCount, nextPosition: "" };
  };
  expect(await eraseUntilNothingIsFound({ step, beforeRepeating: async () => true })).toBeUndefined();
  const left = [imports, importParts, rejectedLines].map((one) => one.countDocuments({ store: storeId }));
  expect(await Promise.all(left)).toEqual([0, 0, 0]);
});

test("a part that arrives while an erasure deletes its import is refused, and leaves nothing behind", async () => {
  const storeId = newId("sto");
  const uploader = replica(0);
  const id = await upload(storeId, uploader);
  const { freezer, deleting } = await freezeErasureAfter("importParts", storeId);
  await expect(uploader.imports.addPart(storeId, id, 1, Buffer.from("Mina"))).rejects.toThrow("import");
  freezer.thaw();
  await deleting;
  expect(await importParts.countDocuments({ store: storeId })).toBe(0);
});

test("a second worker continues the erasure that the first has begun, with its addresses, position and start", async () => {
  const storeId = newId("sto");
  const [{ inbox }, other] = [replica(0), replica(0)];
  const content = { kind: "customer_erasure", email: "", customerId: "1", orderIds: [] } as const;
  const message = { id: "redact", topic: "customers/redact", triggeredAtMs: time.ms, content };
  await inbox.add(storeId, message, "waiting");
  const begun = await inbox.beginErasing(storeId, "redact", ["mina@example.test"]);
  if (begun === undefined) throw new Error("The erasure has not begun.");
  const noted = { ...begun, progress: { ...begun.progress, position: "0:7" } };
  await inbox.noteErasing(storeId, "redact", noted);
  time.ms += 60_000;
  // What names the person has been erased meanwhile.
  expect(await other.inbox.beginErasing(storeId, "redact", [])).toEqual(noted);
  // Another worker has set it aside; this one still completes it.
  await inbox.record(storeId, "redact", { added: 6, retryAt: undefined, failure: reason("internal_error") });
  expect(await other.inbox.beginErasing(storeId, "redact", [])).toEqual(noted);
});

test("an erasure that another replica has completed does not begin again", async () => {
  const { inbox } = replica(0);
  expect(await inbox.beginErasing(newId("sto"), "settled", ["mina@example.test"])).toBeUndefined();
});
