import { timestampText } from "../timestamp.ts";
import { defineCommand } from "./command.ts";
import { parseCount } from "./option-values.ts";
import { print } from "./print.ts";

const pageMax = 100;

/** `certctl store history` */
export const storeHistory = defineCommand<{ readonly limit: number }>({
  name: "store history",
  description: "list the administrative changes of the store, newest first: time, action, actor, facts",
  changes: "nothing",
  configure: (command) => command.option("--limit <n>", "maximum number of changes", parseCount, 50),
  async run({ client, storeId, options: { limit } }) {
    const id = await storeId();
    let missing = limit;
    for (let pageToken = ""; missing > 0; ) {
      const request = { storeId: id, limit: Math.min(missing, pageMax), pageToken };
      const { entries, nextPageToken } = await client.inspection.listStoreHistory(request);
      for (const { occurredAt, action, actor, details } of entries) {
        const facts = Object.entries(details).map(([name, value]) => `${name}=${value}`);
        print([timestampText(occurredAt), action.padEnd(16), actor, ...facts].join("  "));
      }
      missing -= entries.length;
      if (nextPageToken === "") return;
      pageToken = nextPageToken;
    }
  },
});
