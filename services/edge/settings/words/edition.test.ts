import { expect, test } from "vitest";
import { editionOf } from "./edition.ts";

test.each([
  ["No. 7 of 1200", "Nr. 7 von 1.200"],
  ["7 of 1200", "7 von 1.200"],
  ["0007/1200", "0007/1200"],
  ["7/1200", "7/1200"],
  ["in a style of a later version", "in a style of a later version"],
])("the edition %s is %s in German", (formatted, shown) => {
  expect(editionOf({ number: 7, total: 1200, formatted }, "de")).toBe(shown);
});
