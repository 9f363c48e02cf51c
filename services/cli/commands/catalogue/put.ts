import { readFile } from "node:fs/promises";
import { z } from "zod";
import { parseJson } from "#shared/text/parse-json.ts";
import { defineCommand } from "../../command/command.ts";
import { givenPath } from "../../command/given-path.ts";
import { UsageError } from "../../output/usage-error.ts";

const catalogueFile = z.array(
  z.strictObject({
    id: z.string(),
    title: z.string(),
    variants: z.array(z.strictObject({ sku: z.string(), title: z.string() })),
    edition_total: z.int().min(0).default(0),
  }),
);

const productsPerCall = 250;

export const cataloguePut = defineCommand({
  name: "catalogue put",
  changes: "store",
  description: "create or replace products in the store's catalogue",
  configure: (command) =>
    command.argument(
      "<file.json>",
      "JSON array of {id, title, variants: [{sku, title}], edition_total}; edition_total 0 means no edition",
    ),
  async run({ selectStore, output, args: [file = ""] }) {
    const products = await readCatalogue(givenPath(file));
    const { stores } = await selectStore();
    for (let at = 0; at < products.length; at += productsPerCall)
      await stores.putProducts({ products: products.slice(at, at + productsPerCall) });
    output.result({ storedCount: products.length }, `stored ${products.length} products`);
  },
});

async function readCatalogue(location: string) {
  const json = parseJson(await readFile(location, "utf8"));
  if (json === undefined) throw new UsageError(`${location} is not JSON.`);
  const parsed = catalogueFile.safeParse(json);
  if (!parsed.success) throw new UsageError(`${location} is not a valid catalogue: ${z.prettifyError(parsed.error)}`);
  return parsed.data.map(({ edition_total, ...product }) => ({ ...product, editionTotal: edition_total }));
}
