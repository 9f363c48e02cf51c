import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, runs } from "./command.ts";

/** `certctl sample create` */
export function addSampleCreate(parent: Command): void {
  const command = parent
    .command("create")
    .description("create a sample certificate, which no list and no webhook ever shows")
    .option("--title <text>", "product title", "Sample product");
  runs<{ title: string }>(command, async (client, { store, title }) => {
    const storeId = await chooseStore(client, store);
    const { certificateIds } = await client.issuing.createSamples({ storeId, products: [{ title }] });
    for (const id of certificateIds) print(id);
  });
}
