import { expect, test } from "vitest";
import { newId } from "./identifiers.ts";

test.each(["crt", "evt", "sto", "key", "smp"] as const)("an id starts with its prefix %s_", (prefix) => {
  expect(newId(prefix)).toMatch(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{24}$`));
});

test("ids are unique, and every character of the alphabet occurs at every position", () => {
  const ids = Array.from({ length: 2_000 }, () => newId("crt"));
  expect(new Set(ids).size).toBe(2_000);
  for (let place = 4; place < 28; place++) expect(new Set(ids.map((id) => id.charAt(place))).size).toBe(32);
});
