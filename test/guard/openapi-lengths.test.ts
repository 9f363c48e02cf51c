import { expect, test } from "vitest";
import { certificateSchemas } from "../../services/edge/openapi/certificate-schemas.ts";
import { tableRows } from "./repository.ts";

test("the OpenAPI document states the maximum lengths from INTERFACE.md §2.7, except that of verifyUrl", () => {
  const { Product, Order, Person, Certificate } = certificateSchemas as Record<string, { properties: object }>;
  const parents: Readonly<Record<string, { properties: object } | undefined>> = {
    product: Product,
    order: Order,
    owner: Person,
    originalBuyer: Person,
  };
  for (const [names = "", max] of tableRows("services/INTERFACE.md", "text")) {
    if (names === "verifyUrl") continue;
    for (const name of names.split(", ")) {
      const [parent = "", member] = name.split(".");
      const schema = member === undefined ? Certificate : parents[parent];
      const found = Object.entries(schema?.properties ?? {}).find(([property]) => property === (member ?? parent));
      expect(found?.[1], name).toMatchObject({ maxLength: Number(max?.replace(",", "")) });
    }
  }
});
