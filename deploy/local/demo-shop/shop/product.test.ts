import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { buyers, shopProducts } from "./product.ts";

const catalogue = z
  .array(
    z.object({
      id: z.string(),
      title: z.string(),
      edition_total: z.int(),
      variants: z.array(z.object({ sku: z.string(), title: z.string() })),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL("../../demo/catalogue.json", import.meta.url), "utf8")));

test.each(shopProducts)("$title is in the demo store's catalogue, with the same edition and variant", (product) => {
  const { id, title, editionTotal, sku, variant } = product;
  const listed = catalogue.find((one) => one.id === String(id));
  expect(listed).toMatchObject({ title, edition_total: editionTotal });
  expect(listed?.variants).toContainEqual({ sku, title: variant });
});

test("buyers have e-mail addresses in a reserved domain (RFC 2606)", () => {
  for (const { email } of buyers) expect(email).toMatch(/^[a-z]+@example\.com$/);
});
