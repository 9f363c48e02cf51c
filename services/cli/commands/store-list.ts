import { defineCommand } from "./command.ts";
import { print } from "./print.ts";
import { storeLine } from "./store-settings.ts";

/** `certctl store list` */
export const storeList = defineCommand({
  name: "store list",
  changes: "nothing",
  description: "list the stores by domain: id, domain, plan, edition style, language, base URL of verification links",
  async run({ client }) {
    for (let afterShop = ""; ; ) {
      const { stores } = await client.stores.listStores({ afterShop, limit: 100 });
      for (const store of stores) print(storeLine(store));
      const last = stores.at(-1);
      if (last === undefined) return;
      afterShop = last.shop;
    }
  },
});
