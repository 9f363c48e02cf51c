import { readFileSync } from "node:fs";

/** A product of the demo store's catalogue, as catalogue.json has it. */
export interface DemoProduct {
  /** Product id on the storefront platform: digits. */
  readonly id: string;
  readonly title: string;
  /** At least one; its title is empty where the product has no variants. */
  readonly variants: readonly { readonly sku: string; readonly title: string }[];
  /** How many numbered certificates there will be; 0: no edition. */
  readonly edition_total: number;
}

/** The demo store's catalogue. */
export const CATALOGUE: readonly DemoProduct[] = JSON.parse(
  readFileSync(new URL("./catalogue.json", import.meta.url), "utf8"),
);
