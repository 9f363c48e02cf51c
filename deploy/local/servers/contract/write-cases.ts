import { randomUUID } from "node:crypto";
import { Int32, MongoError, MongoErrorLabel } from "mongodb";
import { bulkDuplicates } from "../../../../services/registry/mongo/driver/bulk-duplicates.ts";
import { RetryTransaction, runTransaction } from "../../../../services/registry/mongo/driver/run-transaction.ts";
import { isDuplicateKey, isTransient } from "../../../../services/registry/mongo/driver/transient-error.ts";
import { documentWriter, type Write } from "../../../../services/registry/mongo/driver/write-documents.ts";
import { indexes } from "../../../../services/registry/mongo/opening/indexes.ts";
import { killSessionsOf } from "../../../../services/registry/mongo/opening/replica-heartbeat.ts";
import { type ContractCase, type ContractRig, contractCase, sendTwice, withTypes } from "./contract-case.ts";

const limitMs = 5_000;

interface Item {
  readonly _id: string;
  readonly name?: string;
  readonly count?: number;
}

const itemsOf = ({ client }: ContractRig, name = "items") => client.db().collection<Item>(name);

/** Writes documents in a transaction as a change of certificates does, without retrying after a conflict. */
async function write(rig: ContractRig, inOneCommand: boolean, writes: readonly Write[]): Promise<void> {
  const writeDocuments = documentWriter(rig.client, inOneCommand);
  const attempt = () =>
    runTransaction(rig.client, async (session) => ({ commit: true, value: await writeDocuments(writes, session) }), {
      timeLimitMs: 0,
    });
  // The first attempt may find that the server does not support one command for all collections.
  await attempt().catch((error: unknown) => {
    if (!(error instanceof RetryTransaction)) throw error;
    return attempt();
  });
}

/** Returns how the registry classifies the error of an operation; undefined if the operation succeeds. */
async function errorOf(operation: Promise<unknown>) {
  try {
    await operation;
    return undefined;
  } catch (error) {
    const isRolledBack = error instanceof MongoError && error.hasErrorLabel(MongoErrorLabel.TransientTransactionError);
    return { isDuplicateKey: isDuplicateKey(error), isTransient: isTransient(error), isRolledBack };
  }
}

const duplicate = { isDuplicateKey: true, isTransient: false, isRolledBack: false };
const conflict = { isDuplicateKey: false, isTransient: true, isRolledBack: true };

const changeCases = [true, false].flatMap((inOneCommand) => {
  const how = inOneCommand ? "one bulkWrite for all collections" : "a bulkWrite for each collection";
  return [
    contractCase(
      `${how} in a transaction`,
      async (rig) => {
        const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
        const [items, others] = [itemsOf(rig), itemsOf(rig, `others_${first}`)];
        await items.insertMany([
          { _id: first, count: 1 },
          { _id: second, name: "old" },
        ]);
        const { namespace } = items;
        await write(rig, inOneCommand, [
          { name: "updateOne", namespace, filter: { _id: first }, update: { $inc: { count: 1 } } },
          { name: "replaceOne", namespace, filter: { _id: second }, replacement: { _id: second, name: "new" } },
          { name: "insertOne", namespace: others.namespace, document: { _id: third, name: "other" } },
        ]);
        const found = await items
          .find({ _id: { $in: [first, second] } }, withTypes)
          .sort({ count: -1 })
          .toArray();
        return [...found, await others.findOne()].map((item) => ({ ...item, _id: null }));
      },
      [
        { _id: null, count: new Int32(2) },
        { _id: null, name: "new" },
        { _id: null, name: "other" },
      ],
    ),
    contractCase(
      `a unique key that ${how} violates in a transaction`,
      async (rig) => {
        const [first, second] = [randomUUID(), randomUUID()];
        const items = itemsOf(rig);
        const { namespace } = items;
        await items.insertOne({ _id: first });
        const inserts = [second, first].map((_id) => ({ name: "insertOne" as const, namespace, document: { _id } }));
        return {
          error: await errorOf(write(rig, inOneCommand, inserts)),
          stored: await items.findOne({ _id: second }),
        };
      },
      { error: duplicate, stored: null },
    ),
    contractCase(
      `a write conflict of ${how}`,
      async (rig) => {
        const items = itemsOf(rig);
        const _id = randomUUID();
        await items.insertOne({ _id, count: 1 });
        await using session = rig.client.startSession();
        session.startTransaction();
        const increment = { $inc: { count: 1 } };
        await items.updateOne({ _id }, increment, { session });
        const update = { name: "updateOne" as const, namespace: items.namespace, filter: { _id }, update: increment };
        const error = await errorOf(write(rig, inOneCommand, [update]));
        await session.commitTransaction();
        return { error, count: (await items.findOne({ _id }))?.count };
      },
      { error: conflict, count: 2 },
    ),
  ];
});

/** Inserts certificates with these fields, each in a transaction of its own. @returns the error of each insertion */
async function insertCertificates(rig: ContractRig, certificates: readonly object[]) {
  const { certificates: collection } = rig.collections;
  await collection.createIndexes([...indexes.certificates]);
  const store = randomUUID();
  const errors = [];
  for (const [index, fields] of certificates.entries()) {
    const document = { _id: `${store}/${index}`, store, serial: index, updatedAt: new Date(index), ...fields };
    errors.push(await errorOf(write(rig, true, [{ name: "insertOne", namespace: collection.namespace, document }])));
  }
  return { errors, stored: await collection.countDocuments({ store }) };
}

/** Writes, their conflicts and duplicates, and transactions. */
export const writeCases: readonly ContractCase[] = [
  ...changeCases,
  contractCase(
    "the unique index on updatedAt in transactions",
    (rig) => insertCertificates(rig, [{}, {}, { updatedAt: new Date(1) }]),
    { errors: [undefined, undefined, duplicate], stored: 2 },
  ),
  contractCase(
    "the unique partial index on issueKey in transactions",
    (rig) => insertCertificates(rig, [{}, {}, { issueKey: "a" }, { issueKey: "b" }, { issueKey: "a" }]),
    { errors: [undefined, undefined, undefined, undefined, duplicate], stored: 4 },
  ),
  contractCase(
    "the duplicates among unordered insertions",
    async (rig) => {
      const items = itemsOf(rig);
      const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
      await items.insertOne({ _id: a });
      const inserted = [a, b, b, c].map((_id) => ({ _id }));
      const duplicates = await bulkDuplicates(items.insertMany(inserted, { ordered: false }));
      return { ...duplicates, stored: await items.countDocuments({ _id: { $in: [a, b, c] } }) };
    },
    { indexes: [0, 2], matchedCount: 0, stored: 3 },
  ),
  contractCase(
    "a findAndModify that is sent twice with one transaction number",
    async (rig) => {
      const items = itemsOf(rig);
      const _id = randomUUID();
      await items.insertOne({ _id, count: 1 });
      const command = {
        findAndModify: items.collectionName,
        query: { _id },
        update: { $inc: { count: 1 } },
        new: true,
      };
      const replies = await sendTwice(rig, command, withTypes);
      return [...replies.map(({ value }) => value.count), (await items.findOne({ _id }, withTypes))?.count];
    },
    [new Int32(2), new Int32(2), new Int32(2)],
  ),
  contractCase(
    "a collection that a transaction creates, after its commit and after its rollback",
    async (rig) => {
      const name = `implicit_${randomUUID()}`;
      const counts = [];
      for (const commit of [false, true]) {
        await runTransaction(rig.client, async (session) => {
          await itemsOf(rig, name).insertOne({ _id: randomUUID() }, { session });
          return { commit, value: undefined };
        });
        counts.push(await itemsOf(rig, name).countDocuments());
      }
      return counts;
    },
    [0, 1],
  ),
  contractCase(
    "killSessions for a session with an open transaction",
    async (rig) => {
      const items = itemsOf(rig);
      const _id = randomUUID();
      await items.insertOne({ _id, count: 1 });
      await using session = rig.client.startSession();
      session.startTransaction();
      await items.updateOne({ _id }, { $inc: { count: 10 } }, { session });
      if (session.id === undefined) throw new Error("the session has no id");
      await rig.client.db("admin").command({ ...killSessionsOf([session.id.id]) });
      await items.updateOne({ _id }, { $inc: { count: 1 } }, { maxTimeMS: limitMs });
      const commit = await errorOf(session.commitTransaction());
      return { commit: commit?.isTransient, count: (await items.findOne({ _id }))?.count };
    },
    { commit: true, count: 2 },
  ),
];
