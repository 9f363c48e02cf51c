import { defineCommand } from "../../command/command.ts";
import { readPages } from "../../registry-client/read-pages.ts";
import { storeFormat } from "../settings/format.ts";

export const storeList = defineCommand({
  name: "store list",
  changes: "nothing",
  description:
    "list the stores, ordered by domain: id, domain, plan, edition style, language, base URL of verification links",
  async run({ client, output }) {
    const read = async (limit: number, afterShop = "") => {
      const { stores } = await client.stores.listStores({ afterShop, limit });
      return { items: stores, next: stores.at(-1)?.shop };
    };
    await readPages(Number.POSITIVE_INFINITY, read, output.list(storeFormat), output.note);
  },
});
