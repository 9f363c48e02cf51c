import { once } from "node:events";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import pg from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { Certificate } from "../../services/client/certificate.ts";
import { certificateFixture, timeAt } from "../../services/client/client-fixture.ts";
import { PostgresStore } from "../../services/client/stores/postgres-store.ts";
import { SqliteStore } from "../../services/client/stores/sqlite-store.ts";
import type { CertificateStore } from "../../services/client/sync/certificate-store.ts";
import { MemoryStore } from "../../services/client/sync/memory-store.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { startPostgres } from "../harness/postgres/start-postgres.ts";

interface OpenStore {
  readonly store: CertificateStore;
  /** Returns the id and the current status of each certificate. */
  readonly read: () => Promise<unknown[]>;
  /** Opens the same database again. */
  readonly reopen: () => Promise<CertificateStore>;
}

const folder = await openTemporaryFolder("stores", afterAll);
const postgres = await startPostgres();
const pool = new pg.Pool({ connectionString: postgres.url });
afterAll(async () => {
  await pool.end();
  await postgres.close();
});
const query = "SELECT id, status FROM certificate_now ORDER BY id";
let files = 0;

const stores: readonly (readonly [name: string, open: () => Promise<OpenStore>])[] = [
  [
    "SqliteStore",
    async () => {
      const database = new DatabaseSync(path.join(folder, `${++files}.db`));
      onTestFinished(() => database.close());
      const reopen = async () => new SqliteStore(database);
      return { store: await reopen(), reopen, read: async () => database.prepare(query).all() };
    },
  ],
  [
    "PostgresStore",
    async () => {
      await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      const reopen = () => PostgresStore.open(pool);
      return { store: await reopen(), reopen, read: async () => (await pool.query(query)).rows };
    },
  ],
  [
    "MemoryStore",
    async () => {
      const store = new MemoryStore();
      const read = async () => store.certificates.map(({ id, status }) => ({ id, status }));
      return { store, read, reopen: async () => store };
    },
  ],
];

const position = (round: number, second: number, isComplete = false) => {
  return { round, epoch: "0", watermark: timeAt(second), isComplete };
};
const certificate = (id: string, second: number, status: Certificate["status"] = "active") =>
  certificateFixture(id, second, { status });

describe.each(stores)("%s", (_, open) => {
  test("has no position at first, and returns the last saved position after it is opened again", async () => {
    const { store, reopen } = await open();
    expect(await store.loadPosition()).toBeUndefined();
    await store.save([], position(1, 1));
    await store.save([certificate("a", 2)], position(1, 2, true));
    expect(await (await reopen()).loadPosition()).toEqual(position(1, 2, true));
  });

  test("replaces a certificate by a newer one of a message, by one of the list also if it is equally old, and keeps the position if no new position is given", async () => {
    const { store, read } = await open();
    await store.save([certificate("a", 5), certificate("b", 5), certificate("c", 5)], position(1, 5));
    // The list was read after a change of the store's settings, and the message was rendered before it.
    await store.save([certificate("a", 4, "revoked"), certificate("b", 5, "revoked"), certificate("c", 6, "revoked")]);
    await store.save([certificate("d", 1)]);
    const withB = (b: string) => [
      { id: "a", status: "active" },
      { id: "b", status: b },
      { id: "c", status: "revoked" },
      { id: "d", status: "active" },
    ];
    expect(await read()).toEqual(withB("active"));
    expect(await store.loadPosition()).toEqual(position(1, 5));
    await store.save([certificate("a", 4, "revoked"), certificate("b", 5, "revoked")], position(1, 5));
    expect(await read()).toEqual(withB("revoked"));
  });

  test("replaces even a newer certificate from an earlier round, and removes certificates not saved in the new round", async () => {
    const { store, read } = await open();
    await store.save([certificate("a", 9), certificate("b", 9), certificate("c", 9)], position(1, 9));
    await store.save([certificate("a", 3, "revoked")], position(2, 3));
    // Saved without a position, as for a webhook message: the certificate belongs to the current round.
    await store.save([certificate("b", 4, "revoked")]);
    expect(await store.removeBefore(2)).toBe(1);
    expect(await read()).toEqual([
      { id: "a", status: "revoked" },
      { id: "b", status: "revoked" },
    ]);
  });

  test("refuses a page of an earlier round, after which no change would replace a certificate", async () => {
    const { store, read } = await open();
    await store.save([certificate("a", 5)], position(2, 5, true));
    const late = store.save([certificate("a", 9, "revoked"), certificate("b", 1)], position(1, 9, true));
    await expect(late).rejects.toThrow("another call of sync");
    expect(await read()).toEqual([{ id: "a", status: "active" }]);
    expect(await store.loadPosition()).toEqual(position(2, 5, true));
    await store.save([certificate("a", 9, "revoked")], position(2, 9, true));
    expect(await read()).toEqual([{ id: "a", status: "revoked" }]);
  });

  test("saves certificates from messages before the first round, which then replaces or removes them", async () => {
    const { store, read } = await open();
    await store.save([certificate("a", 9), certificate("b", 9)]);
    expect(await store.loadPosition()).toBeUndefined();
    await store.save([certificate("b", 2, "revoked")], position(1, 2));
    expect(await store.removeBefore(1)).toBe(1);
    expect(await read()).toEqual([{ id: "b", status: "revoked" }]);
  });
});

describe.each(stores.slice(0, 2))("%s", (_, open) => {
  test("shows an active certificate as expired once its expiresAt has passed", async () => {
    const { store, read } = await open();
    const soon = new Date(Date.now() + 60_000).toISOString();
    await store.save([
      certificateFixture("a", 1, { expiresAt: timeAt(1) }),
      certificateFixture("b", 2, { expiresAt: soon }),
      certificateFixture("c", 3, { expiresAt: timeAt(1), status: "revoked" }),
    ]);
    expect(await read()).toEqual([
      { id: "a", status: "expired" },
      { id: "b", status: "active" },
      { id: "c", status: "revoked" },
    ]);
  });

  test("saves the certificates and the position together or not at all", async () => {
    const { store, read } = await open();
    await store.save([], position(1, 1));
    const broken = certificateFixture("b", 2, { owner: { name: "", email: null as unknown as string } });
    await expect(store.save([certificate("a", 1), broken], position(1, 2))).rejects.toThrow();
    expect(await read()).toEqual([]);
    expect(await store.loadPosition()).toEqual(position(1, 1));
    await store.save([certificate("a", 1)], position(1, 2));
    expect(await read()).toHaveLength(1);
  });
});

test("SqliteStore throws the error of a full disk, after which SQLite has ended the transaction itself", async () => {
  const database = new DatabaseSync(path.join(folder, `${++files}.db`));
  onTestFinished(() => database.close());
  const store = new SqliteStore(database);
  database.exec("PRAGMA max_page_count = 1");
  const many = Array.from({ length: 200 }, (_, second) => certificate(`crt_${second}`, second));
  await expect(store.save(many, position(1, 1))).rejects.toThrow("full");
  database.exec("PRAGMA max_page_count = 10000");
  await store.save(many, position(1, 1));
  expect(await store.loadPosition()).toEqual(position(1, 1));
});

test("SqliteStore opens a new file while another connection is writing to it", async () => {
  const file = path.join(folder, `${++files}.db`);
  const writer = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
    const database = new (require("node:sqlite").DatabaseSync)(workerData);
    database.exec("BEGIN IMMEDIATE; CREATE TABLE other (id)");
    parentPort.postMessage("writing");
    setTimeout(() => database.exec("COMMIT"), 300);`,
    { eval: true, workerData: file },
  );
  onTestFinished(async () => void (await writer.terminate()));
  await once(writer, "message");
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const store = new SqliteStore(database);
  await store.save([certificate("a", 1)], position(1, 1));
  expect(await store.loadPosition()).toEqual(position(1, 1));
  await once(writer, "exit");
  const next = new DatabaseSync(file);
  onTestFinished(() => next.close());
  void new SqliteStore(next);
  expect(next.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
});

test("PostgresStore can be opened several times concurrently, and keeps the newest saved version of a certificate", async () => {
  await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  const opened = await Promise.all([0, 1, 2, 3].map(() => PostgresStore.open(pool)));
  const seconds = Array.from({ length: 40 }, (_, second) => second);
  await Promise.all(
    opened.flatMap((store) =>
      seconds.map((second) => store.save([certificate("a", second)], second % 10 ? undefined : position(1, second))),
    ),
  );
  const { rows } = await pool.query("SELECT json ->> 'updatedAt' AS at FROM certificate");
  expect(rows).toEqual([{ at: timeAt(39) }]);
});
