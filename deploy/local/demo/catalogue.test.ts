import { describe, expect, test } from "vitest";
import { CATALOGUE } from "./catalogue.ts";

describe("the demo catalogue", () => {
  test("is one that the registry takes: product ids and SKUs once each, titles not too long", () => {
    const ids = CATALOGUE.map(({ id }) => id);
    const skus = CATALOGUE.flatMap(({ variants }) => variants.map(({ sku }) => sku));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(skus).size).toBe(skus.length);
    for (const { id, title, variants, edition_total } of CATALOGUE) {
      expect(id).toMatch(/^\d{13}$/);
      expect(title).toMatch(/^\S.{0,253}\S$/);
      expect(variants.length).toBeGreaterThanOrEqual(1);
      expect(variants.length).toBeLessThanOrEqual(6);
      for (const { sku } of variants) expect(sku).toMatch(/^[A-Z0-9-]+$/);
      expect(Number.isInteger(edition_total) && edition_total >= 0).toBe(true);
    }
  });

  test("has products with and without editions, small and large", () => {
    expect(CATALOGUE).toHaveLength(25);
    const totals = CATALOGUE.map(({ edition_total }) => edition_total);
    expect(totals).toEqual(expect.arrayContaining([0, 12, 50, 200, 5_000]));
  });
});
