import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { MongoClient } from "mongodb";
import { expect, test } from "vitest";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { ClaimDecision } from "#gen/registry/v1/notifier_service_pb.js";
import { newCopy, reconcile } from "../../deploy/receivers/keep-copy.mjs";
import { finishRestore } from "../../services/registry/mongo/backup/finish-restore.ts";
import { keepsSnapshots } from "../../services/registry/mongo/opening/page-reads.ts";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { ListClient } from "../harness/list-client.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createTestStore } from "../harness/test-stores.ts";
import { openReceiver, soon, startNotifier } from "../integration/notifier-rig.ts";
import { backup, openRig } from "../integration/restore-rig.ts";

test.concurrent("after a restore, clients read the whole list again, no message is sent twice, and no serial number is issued twice", async (context) => {
  const rig = await openRig(context);
  const { database, folder, nats } = rig;
  const before = await rig.start();
  const url = await rig.openEdge();
  const place = { context, natsUrl: nats.url, address: before.address };
  const receiver = await openReceiver({ context, registry: before });
  const { storeId } = receiver;
  await before.admin.putProducts(
    {
      products: [{ id: "9", title: "Print", editionTotal: 5, variants: [{ sku: "P" }] }],
    },
    inStore(storeId),
  );
  const { apiKey } = await before.admin.createApiKey({ label: "test" }, inStore(storeId));
  const client = new ListClient(url, apiKey);
  const print = issueItem({ product: { sku: "P" } });
  const issuePrint = async ({ issuing }: typeof before, idempotencyKey: string) => {
    const { results } = await issuing.issueCertificates({ items: [print], idempotencyKey }, inStore(storeId));
    return results[0]?.certificateId ?? "";
  };
  const kept = [await issuePrint(before, "kept"), await issueOne(before, storeId)];
  await soon(async () => expect((await client.fetch("limit=1")).status).toBe(200));
  const earlier = (await client.fetch("limit=1")).headers.get("x-feed-epoch");

  const saved = await backup(database, "save", "--folder", folder);
  expect(saved).toMatchObject({ code: 0, out: expect.stringContaining("certificates: 2,") });
  const atBackup = await database.contents();

  // These messages are sent after the backup, which therefore has their events in the outbox and no claims.
  const notifier = await startNotifier(place);
  await soon(() => expect(receiver.certificates().toSorted()).toEqual(kept.toSorted()));
  await notifier.stop();
  const lost = await issuePrint(before, "lost");
  await before.lifecycle.transferCertificate(
    {
      certificateId: kept[1] ?? "",
      newOwnerName: "Cy",
      newOwnerEmail: "cy@example.test",
    },
    inStore(storeId),
  );
  const lateKey = await before.admin.createApiKey({ label: "late" }, inStore(storeId));
  const copy = newCopy();
  await reconcile(copy, url, apiKey);
  expect(copy.certificates.size).toBe(3);
  const { watermark = "" } = copy;
  const { next_cursor: cursor } = await client.page({ limit: "1" });

  await before.stop();
  await database.db.dropDatabase();
  const restored = await backup(database, "restore", "--folder", folder, "--skip-serials", "10");
  expect(restored).toMatchObject({
    code: 0,
    out: expect.stringMatching(/you can start the registries\n.*erasures of persons.*\n.*certctl storefront replay/),
  });
  const { restores, marks: _marks, outbox, deliveries, access, stores, ...documents } = await database.contents();
  expect([outbox, deliveries?.map(({ outcome }) => outcome.kind)]).toEqual([[], ["interrupted", "interrupted"]]);
  expect(documents).toEqual(Object.fromEntries(Object.keys(documents).map((name) => [name, atBackup[name]])));
  const epoch: string = access?.[0]?.epoch;
  expect([earlier, restores?.[0]?._id]).not.toContain(epoch);
  expect(access).toEqual(atBackup.access?.map((document) => ({ ...document, epoch })));
  expect(stores?.map(({ lastSerial }) => lastSerial)).toEqual([12]);

  const after = await rig.start();
  context.onTestFinished(() => after.stop());
  await soon(async () => expect((await client.fetch("limit=1")).status).toBe(200));

  // The cursor is refused. `updated_since` is accepted, but the response has the new epoch and no certificates.
  const refused = await client.fetch(`limit=1&cursor=${cursor}`);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringMatching(/"message":"cursor .*restored/)]);
  const later = await client.fetch(`updated_since=${encodeURIComponent(watermark)}`);
  expect([later.headers.get("x-feed-epoch"), await later.text()]).toEqual([
    epoch,
    '{"certificates":[],"next_cursor":null}',
  ]);
  await reconcile(copy, url, apiKey);
  const listed = await client.all();
  expect([...copy.certificates.values()]).toEqual(listed);
  expect(listed.map(({ id }) => id)).toEqual(kept);

  // A key created after the backup no longer exists. The rate-limit window has only the admissions in the backup and
  // those since the restore.
  expect((await new ListClient(url, lateKey.apiKey).fetch("")).status).toBe(401);
  const { admitted = [] } = (await database.collections.access.findOne({ _id: storeId })) ?? {};
  expect(admitted.length).toBeLessThan(20);

  // The backup does not contain the response to a later request, so a retry is processed as a new request and issues
  // a certificate with the edition number of the lost certificate, but with a new serial number.
  const again = await issuePrint(after, "lost");
  expect(again).not.toBe(lost);
  const issued = (await client.all()).at(-1);
  expect(issued).toMatchObject({ id: again, serial: "000013", edition: { number: 2 } });
  expect(issued?.updatedAt.localeCompare(watermark)).toBe(1);
  expect(await issuePrint(after, "kept")).toBe(kept[0]);

  await startNotifier(place);
  await soon(async () => expect(await database.collections.outbox.countDocuments()).toBe(0));
  // A store's deliveries of different certificates have no order.
  expect(receiver.certificates().toSorted()).toEqual([...kept, again].toSorted());
  const outcomes = await database.collections.deliveries.find({ store: storeId }).sort({ claimedAt: 1 }).toArray();
  const kinds = new Map(outcomes.map(({ certificate, outcome }) => [certificate, outcome?.kind]));
  expect(kinds.get(again)).toBe("delivered");
  for (const id of kept) expect(kinds.get(id)).toBe("interrupted");
  expect(["interrupted", undefined]).toContain(kinds.get(lost));
}, 240_000);

test.concurrent("finish-restore gives each store's feed an epoch of its own, so that a copy continued with another store's key is noticed", async (context) => {
  const { database, start, openEdge } = await openRig(context);
  const before = await start();
  const url = await openEdge();
  const clients: ListClient[] = [];
  for (const storeId of [await createTestStore(before), await createTestStore(before)]) {
    const { apiKey } = await before.admin.createApiKey({ label: "test" }, inStore(storeId));
    clients.push(new ListClient(url, apiKey));
  }
  const epochs = () =>
    Promise.all(
      clients.map((client) =>
        soon(async () => {
          const { status, headers } = await client.fetch("limit=1");
          expect(status).toBe(200);
          return headers.get("x-feed-epoch");
        }),
      ),
    );
  const earlier = await epochs();
  await before.stop();
  expect(await backup(database, "finish-restore")).toMatchObject({ code: 0 });
  const after = await start();
  context.onTestFinished(() => after.stop());
  expect(new Set([...earlier, ...(await epochs())]).size).toBe(4);
}, 120_000);

test.concurrent.for(["transaction", "snapshot"])(
  "a backup with --reads %s during changes contains the data of one point in time",
  async (reads, context) => {
    const { database, start, folder } = await openRig(context);
    if (reads === "snapshot" && !(await keepsSnapshots(database.client)))
      return context.skip("the server keeps no snapshots");
    const registry = await start();
    context.onTestFinished(() => registry.stop());
    const storeId = await createTestStore(registry);
    let isSaved = false;
    const writing = (async () => {
      while (!isSaved)
        await registry.issuing.issueCertificates({ items: [issueItem(), issueItem()] }, inStore(storeId));
    })();
    await soon(async () => expect(await database.collections.certificates.countDocuments()).toBeGreaterThan(50));
    expect(await backup(database, "save", "--folder", folder, "--reads", reads)).toMatchObject({ code: 0 });
    isSaved = true;
    await writing;
    const restored = await openTestDatabase(context.onTestFinished);
    expect(await backup(restored, "restore", "--folder", folder, "--pending", "send")).toMatchObject({ code: 0 });
    const { certificates, history, outbox, stores } = await restored.contents();
    const newest = certificates?.map(({ updatedAt }) => updatedAt).sort((a, b) => b - a)[0];
    const [store] = stores ?? [];
    expect([store?.lastSerial, store?.clock]).toEqual([certificates?.length, newest]);
    expect([history?.length, outbox?.length]).toEqual([certificates?.length, certificates?.length]);
    expect(certificates?.length).toBeLessThan(await database.collections.certificates.countDocuments());
  },
);

test.concurrent("a restore with --pending send lets notifiers send the messages for events that were unsettled in the backup", async (context) => {
  const { database, start, folder } = await openRig(context);
  const before = await start();
  const storeId = await createTestStore(before);
  await before.admin.setWebhook({ url: "https://receiver.example.test/" }, inStore(storeId));
  const certificateId = await issueOne(before, storeId);
  const [event] = await database.collections.outbox.find().toArray();
  await backup(database, "save", "--folder", folder);
  const second = await backup(database, "save", "--folder", folder);
  expect(second).toMatchObject({ code: 1, error: expect.stringContaining("is not empty. Choose a new folder.") });

  const running = await backup(database, "finish-restore");
  expect(running).toMatchObject({ code: 1, error: expect.stringContaining("Stop all registries, then run") });
  const occupied = await backup(database, "restore", "--folder", folder);
  expect(occupied).toMatchObject({ code: 1, error: expect.stringContaining("The database is not empty") });
  await before.stop();
  await database.db.dropDatabase();
  expect(await backup(database, "restore", "--folder", folder, "--pending", "send")).toMatchObject({ code: 0 });

  const after = await openTestRegistry({ database }, context.onTestFinished);
  const claim = {
    eventId: event?._id ?? "",
    storeId,
    certificateId,
    type: 1,
    queuedAt: timestampFromDate(event?.at ?? new Date()),
  };
  const { results } = await after.notifier.claimDeliveries({ notifierId: "test", claims: [claim] });
  expect(results.map(({ decision }) => decision)).toEqual([ClaimDecision.SEND]);
}, 240_000);

test.concurrent.for(["are late because the database is slow", "were lost with the database"])(
  "finish-restore refuses to run beside a registry whose heartbeats %s",
  { timeout: 60_000 },
  async (how, context) => {
    const database = await openTestDatabase(context.onTestFinished);
    const { replicas } = database.collections;
    const beat = () =>
      replicas.updateOne(
        { _id: "late" },
        { $inc: { beat: 1 }, $setOnInsert: { documentVersion: 1, sessions: [] } },
        { upsert: true },
      );
    if (how === "are late because the database is slow") await beat();
    const beating = setInterval(() => void beat(), 2_000);
    context.onTestFinished(() => clearInterval(beating));
    const finishing = finishRestore(database.client, { pending: "send", skipSerials: 0 });
    await expect(finishing).rejects.toThrow("Stop all registries");
  },
);

test.concurrent("finish-restore notices a registry that starts after it last looked, and that reads the restores too early", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  const openProxy = () => startDatabaseProxy(database.uri, context.onTestFinished);
  const [finishProxy, registryProxy] = [await openProxy(), await openProxy()];
  finishProxy.hold("insert restores");
  const client = await MongoClient.connect(finishProxy.uri);
  context.onTestFinished(() => client.close());
  const finishing = expect(finishRestore(client, { pending: "send", skipSerials: 0 })).rejects.toThrow("Stop all");
  await soon(() => expect(finishProxy.count("insert restores")).toBe(1));
  registryProxy.hold("find restores");
  const place = { database: { ...database, uri: registryProxy.uri }, untilReady: false };
  const registry = await openTestRegistry(place, context.onTestFinished);
  await soon(() => expect(registryProxy.count("find restores")).toBe(1));
  finishProxy.heal();
  await finishing;
  registryProxy.heal();
  await registry.started;
}, 240_000);

test.concurrent("sends the messages of later events, although the database's clock was three hours ahead during the restore", async (context) => {
  const { database, start, folder } = await openRig(context);
  const before = await start();
  const storeId = await createTestStore(before);
  await before.admin.setWebhook({ url: "https://receiver.example.test/" }, inStore(storeId));
  await before.stop();
  await backup(database, "save", "--folder", folder);
  await database.db.dropDatabase();
  expect(await backup(database, "restore", "--folder", folder)).toMatchObject({ code: 0 });
  const ahead = new Date(Date.now() + 3 * 3_600_000);
  await database.collections.restores.updateMany({}, { $set: { at: ahead } });

  const after = await openTestRegistry({ database }, context.onTestFinished);
  const certificateId = await issueOne(after, storeId);
  const [stored] = await database.collections.outbox.find({ store: storeId }).toArray();
  const event = fromBinary(CertificateEventSchema, stored?.event.value() ?? new Uint8Array());
  const request = { eventId: event.id, storeId, certificateId, type: event.type, queuedAt: event.queuedAt };
  const claims = [{ ...request, epoch: event.epoch }];
  const { results } = await after.notifier.claimDeliveries({ notifierId: "test", claims });
  expect(results.map(({ decision }) => decision)).toEqual([ClaimDecision.SEND]);
}, 240_000);

test.each([
  [[]],
  [["save"]],
  [["restore", "--folder", "/nowhere", "--pending", "maybe"]],
  [["finish-restore", "--skip-serials", "-1"]],
  [["save", "more", "--folder", "/nowhere"]],
  [["save", "--folder", "/nowhere", "--keep", "2"]],
  [["save", "--into", "/nowhere", "--keep", "0"]],
])("refuses the command line %j and shows its usage", async (args) => {
  const run = await backup({ uri: "mongodb://127.0.0.1:1/none" }, ...args);
  expect(run).toMatchObject({ code: 2, error: expect.stringContaining("Usage: backup save") });
});

test.concurrent("save --into names each backup after the time at which it began; --keep 1 keeps only the newest, which can be restored", async (context) => {
  const { database, start, folder } = await openRig(context);
  const registry = await start();
  const storeId = await createTestStore(registry);
  await registry.stop();
  // What a save that was killed long ago has left.
  const left = path.join(folder, "2026-01-01T00-00-00-000Z");
  await mkdir(left, { recursive: true });
  await utimes(left, 0, 0);
  const first = await backup(database, "save", "--into", folder);
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining(`deleted the backup ${path.basename(left)}\n`) });
  const save = () => backup(database, "save", "--into", folder, "--keep", "1");
  const second = await save();
  expect(second).toMatchObject({ code: 0, out: expect.stringMatching(/deleted the backup 20\d\d-\S+Z\n/) });
  const [kept = "", ...others] = await readdir(folder);
  expect(others).toEqual([]);
  await database.db.dropDatabase();
  expect(await backup(database, "restore", "--folder", path.join(folder, kept))).toMatchObject({ code: 0 });
  expect((await database.collections.stores.find().toArray()).map(({ _id }) => _id)).toEqual([storeId]);
});

test("save --into refuses a database that has no store any more, so that --keep never deletes the last backup of one that had", async (context) => {
  const { database, start, folder } = await openRig(context);
  expect(await backup(database, "save", "--into", folder, "--keep", "1")).toMatchObject({ code: 0 });
  const registry = await start();
  await createTestStore(registry);
  await registry.stop();
  expect(await backup(database, "save", "--into", folder, "--keep", "1")).toMatchObject({ code: 0 });
  const backups = await readdir(folder);
  await database.db.dropDatabase();
  expect(await backup(database, "save", "--into", folder, "--keep", "1")).toMatchObject({
    code: 1,
    error: expect.stringContaining(`contains no store, but the backup ${backups[0]} contains 1.`),
  });
  expect(await readdir(folder)).toEqual(backups);
});

test("refuses to restore a backup of a later version with a collection that this version would leave out", async (context) => {
  const { database, folder } = await openRig(context);
  await mkdir(folder, { recursive: true });
  const summary = { takenAt: "2026-11-22T08:00:00.000Z", counts: { laterDocuments: 3 } };
  await writeFile(path.join(folder, "backup.json"), JSON.stringify(summary));
  expect(await backup(database, "restore", "--folder", folder)).toMatchObject({
    code: 1,
    error: expect.stringContaining("contains laterDocuments, which this version does not know"),
  });
});

test.concurrent.for([
  ["zeros", (file: Buffer) => file.fill(0)],
  ["a length of a gigabyte", (file: Buffer) => file.fill(0x40, 3, 4)],
  ["a field of an unknown type", (file: Buffer) => file.fill(0x7e, 4, 5)],
] as const)("restore names the file of a backup that contains %s", async ([, damage], context) => {
  const { database, start, folder } = await openRig(context);
  const registry = await start();
  await createTestStore(registry);
  await registry.stop();
  expect(await backup(database, "save", "--folder", folder)).toMatchObject({ code: 0 });
  const damaged = path.join(folder, "stores.bson");
  await writeFile(damaged, damage(await readFile(damaged)));
  await database.db.dropDatabase();
  expect(await backup(database, "restore", "--folder", folder)).toMatchObject({
    code: 1,
    error: expect.stringMatching(/stores.* is damaged.*restore another backup/),
  });
});

test("refuses to restore from a folder without a complete backup", async (context) => {
  const { database, folder } = await openRig(context);
  const run = await backup(database, "restore", "--folder", folder);
  expect(run).toMatchObject({ code: 1, error: expect.stringContaining("contains no complete backup") });
});
