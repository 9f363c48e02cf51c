import { randomUUID } from "node:crypto";
import { parseSearch } from "../../../../services/registry/certificates/parse-search.ts";
import { rendererVersion } from "../../../../services/registry/certificates/public-json.ts";
import { feedCursor, feedQuery } from "../../../../services/registry/mongo/certificates/feed-query.ts";
import { readRows } from "../../../../services/registry/mongo/certificates/mongo-feed.ts";
import { searchFilter } from "../../../../services/registry/mongo/certificates/plan-search.ts";
import { findSnapshotReader } from "../../../../services/registry/mongo/driver/read-snapshot.ts";
import { type ContractCase, contractCase } from "./contract-case.ts";

const startMs = Date.parse("2026-05-01T12:00:00.000Z");
const time = (ms: number) => new Date(startMs + ms);

const limitMs = 5_000;
const parts = ["{", ",", "}"];
const row = { json: parts, status: "active", edition: null, expiresAt: null };

/** Pages of the list. */
export const readCases: readonly ContractCase[] = [
  contractCase(
    "a find with read concern snapshot, whose next batches come after changes",
    async ({ client, collections: { certificates } }) => {
      const store = randomUUID();
      const stored = client
        .db()
        .collection<{ _id: string; store: string; updatedAt: Date; serial: number }>("certificates");
      const id = (serial: number) => `${store}/${serial}`;
      for (const serial of [1, 2, 3, 4, 5])
        await stored.insertOne({ _id: id(serial), store, serial, updatedAt: time(serial) });
      return findSnapshotReader()(async (snapshot) => {
        const query = feedQuery(store, { changedAfter: time(1) }, 10, time(0));
        await using cursor = feedCursor(certificates, query, { ...snapshot, batchSize: 1 });
        const serials = [(await cursor.next())?.serial];
        await stored.updateOne({ _id: id(3) }, { $set: { updatedAt: time(6) } });
        await stored.deleteOne({ _id: id(4) });
        for await (const { serial } of cursor) serials.push(serial);
        return serials;
      });
    },
    [2, 3, 4, 5],
  ),
  contractCase(
    "a bare find with read concern snapshot, whose reply is not decoded",
    async ({ client, collections: { certificates } }) => {
      const store = randomUUID();
      const stored = client.db().collection<{ readonly _id: string }>("certificates");
      const document = (serial: number) => {
        const ids = { _id: `${store}/${serial}`, store, serial, linkToken: `${store}/${serial}` };
        const updatedAt = time(serial);
        return { ...ids, ...row, updatedAt, json: [rendererVersion, updatedAt, ...parts] };
      };
      for (const serial of [2, 1]) await stored.insertOne(document(serial));
      const rows = await findSnapshotReader()((snapshot) =>
        readRows(certificates, feedQuery(store, {}, 10, time(0)), snapshot, limitMs),
      );
      return rows?.map((one) => ({ ...one, linkToken: one.linkToken.startsWith(store) }));
    },
    [1, 2].map((serial) => ({ ...row, linkToken: true, updatedAt: time(serial) })),
  ),
  contractCase(
    "a search for several words in an array, by a range and by expressions, for which the array may be missing",
    async ({ client, collections: { certificates } }) => {
      const store = randomUUID();
      const stored = client.db().collection<{ _id: string; updatedAt: Date }>("certificates");
      const texts = [["grace", "vase"], ["#1042", "grace", "vases"], ["grace", "va"], ["vat", "vaz"], undefined];
      for (const [serial, words] of texts.entries()) {
        const certificate = { _id: `${store}/${serial}`, store, serial, linkToken: `${store}/${serial}`, words };
        await stored.insertOne({ ...certificate, updatedAt: time(serial) });
      }
      const found = [];
      for (const text of ["vase grace", "grace 1042", "vas vat"]) {
        const search = parseSearch(text) ?? { words: [], emailStarts: [] };
        const matches = certificates.find({ store, ...searchFilter(search) }).sort({ updatedAt: 1 });
        found.push((await matches.toArray()).map(({ serial }) => serial));
      }
      return found;
    },
    [[0, 1], [1], []],
  ),
];
