import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { z } from "zod";
import { chooseStore } from "../registry-client/choose-store.ts";
import { givenPath, print, runs } from "./command.ts";

const catalogueFile = z.array(
  z.strictObject({
    id: z.string(),
    title: z.string(),
    variants: z.array(z.strictObject({ sku: z.string(), title: z.string() })),
    edition_total: z.int().min(0).default(0),
  }),
);

const productsPerCall = 250;

/** `certctl catalogue put <file.json>` */
export function addCataloguePut(parent: Command): void {
  const command = parent
    .command("put")
    .description("create or replace products of the store's catalogue")
    .argument(
      "<file.json>",
      "array of {id, title, variants: [{sku, title}], edition_total}; edition_total 0: no edition",
    );
  runs(command, async (client, { store }, [file = ""]) => {
    const products = await readCatalogue(givenPath(file));
    const storeId = await chooseStore(client, store);
    for (let at = 0; at < products.length; at += productsPerCall)
      await client.stores.putProducts({ storeId, products: products.slice(at, at + productsPerCall) });
    print(`${products.length} products are stored`);
  });
}

async function readCatalogue(location: string) {
  const parsed = catalogueFile.safeParse(JSON.parse(await readFile(location, "utf8")));
  if (!parsed.success) throw new Error(`${location} is not a catalogue: ${z.prettifyError(parsed.error)}`);
  return parsed.data.map(({ edition_total, ...product }) => ({
    ...product,
    editionTotal: edition_total,
  }));
}
