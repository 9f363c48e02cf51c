import { defineCommand } from "../../command/command.ts";
import { storeFormat } from "../settings/format.ts";

/** `certctl store list` */
export const storeList = defineCommand({
  name: "store list",
  changes: "nothing",
  description:
    "list the stores, ordered by domain: id, domain, plan, edition style, language, base URL of verification links",
  async run({ client, output }) {
    const show = output.list(storeFormat);
    for (let afterShop = ""; ; ) {
      const { stores } = await client.stores.listStores({ afterShop, limit: 100 });
      stores.forEach(show);
      const last = stores.at(-1);
      if (last === undefined) return;
      afterShop = last.shop;
    }
  },
});
