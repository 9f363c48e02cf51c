import { expect, test } from "vitest";
import { columnOfField } from "./column-of-field.ts";

test.each([
  ["product.title", "Lineitem name"],
  ["product.variant", "Lineitem name"],
  ["product.sku", "Lineitem sku"],
  ["buyer.email", "Email"],
  ["buyer.name", "Billing Name"],
  ["order.id", "Id"],
  ["order.name", "Name"],
  ["order.unit", "Lineitem quantity"],
  ["expires_at", null],
  [undefined, null],
])("maps the field %s to the column %s", (field, column) => {
  expect(columnOfField(field)).toBe(column);
});
