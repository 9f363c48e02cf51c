import { createLogger } from "#shared/observe/logger.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { ensureIndexes, existingIndexes } from "../../../services/registry/mongo/opening/ensure-indexes.ts";
import { type DatabaseCheck, passedUnless } from "./database-check.ts";
import type { DatabaseRig } from "./rig.ts";

/** Checks the creation of the indexes. Runs before the checks that need the indexes. */
export const indexChecks: readonly DatabaseCheck[] = [
  {
    name: "creating the indexes a second time changes no index",
    remedy: "Drop manually created indexes that have the name of an index of the registry.",
    run: async (rig) => {
      const deps = { logger: createLogger("check", "silent"), clock: steadyClock };
      await ensureIndexes(rig.client, deps);
      const first = await indexesOf(rig);
      await ensureIndexes(rig.client, deps);
      const second = await indexesOf(rig);
      const changed = second.filter((index) => !first.includes(index)).concat(first.filter((i) => !second.includes(i)));
      return passedUnless(changed, `${first.length} indexes`);
    },
  },
];

// One after the other: a busy server does not serve as many commands at once as there are collections.
async function indexesOf({ collections }: DatabaseRig): Promise<string[]> {
  const lists: string[] = [];
  for (const [name, collection] of Object.entries(collections))
    lists.push(...(await existingIndexes(collection)).map((index) => `${name} ${JSON.stringify(index)}`));
  return lists;
}
