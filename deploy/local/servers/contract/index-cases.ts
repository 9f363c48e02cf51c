import { indexesFor } from "../../../../services/registry/mongo/opening/indexes.ts";
import { planIndexes } from "../../../../services/registry/mongo/opening/plan-indexes.ts";
import { defaultRetention } from "../../../../services/registry/values/retention.ts";
import { type ContractCase, contractCase } from "./contract-case.ts";

const before = indexesFor(defaultRetention).deliveries;
const after = indexesFor({ ...defaultRetention, deliveryLogDays: defaultRetention.deliveryLogDays + 1 }).deliveries;
const life = after.find(({ name }) => name === "life");

/** Indexes that delete old documents. */
export const indexCases: readonly ContractCase[] = [
  contractCase(
    "createIndexes for an index that exists, and collMod of the life of a TTL index",
    async ({ client, collections: { deliveries } }) => {
      await deliveries.createIndexes([...before], { commitQuorum: "majority" });
      await deliveries.createIndexes([...before], { commitQuorum: "majority" });
      const plan = async () => planIndexes(await deliveries.listIndexes().toArray(), after);
      const { missing, lives } = await plan();
      for (const index of lives) await client.db().command({ collMod: deliveries.collectionName, index });
      return { missing, lives, afterwards: await plan() };
    },
    {
      missing: [],
      lives: [{ name: "life", expireAfterSeconds: life?.expireAfterSeconds }],
      afterwards: { missing: [], lives: [] },
    },
  ),
];
