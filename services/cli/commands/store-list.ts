import type { Command } from "commander";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { print, runs } from "./command.ts";

/** `certctl store list` */
export function addStoreList(parent: Command): void {
  runs(parent.command("list").description("list the stores: id, domain, plan"), async (client) => {
    let afterShop = "";
    for (;;) {
      const { stores } = await client.stores.listStores({ afterShop, limit: 100 });
      for (const { id, shop, plan } of stores) print(`${id}  ${shop}  ${Plan[plan]?.toLowerCase()}`);
      const last = stores.at(-1);
      if (last === undefined) return;
      afterShop = last.shop;
    }
  });
}
