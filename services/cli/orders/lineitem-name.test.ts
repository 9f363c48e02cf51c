import { expect, test } from "vitest";
import { splitLineitemName } from "./lineitem-name.ts";

test.each([
  ["Harbour Print - A3", "Harbour Print", "A3"],
  ["Harbour - at Dawn - A3 / Framed", "Harbour - at Dawn", "A3 / Framed"],
  ["Mug", "Mug", ""],
  ["T-shirt", "T-shirt", ""],
  ["  Mug  -  Blue ", "Mug", "Blue"],
  [" - Blue", "", "Blue"],
  ["Mug - ", "Mug", ""],
  ["", "", ""],
])("splits %j into the title %j and the variant %j", (name, title, variant) => {
  expect(splitLineitemName(name)).toEqual({ title, variant });
});
