import { expect, test } from "vitest";
import { actorName } from "./actor-name.ts";

test.each([
  ["ada", "certctl/ada"],
  ["DOMAIN\\ada", "certctl/DOMAIN\\ada"],
  ["ada lovelace", "certctl/ada_lovelace"],
  ["jürgen", "certctl/j_rgen"],
  ["a\r\nx-other: b", "certctl/a__x-other:_b"],
])("the user %j is called %s", (userName, actor) => {
  expect(actorName(() => userName)).toBe(actor);
});

test("a user without a name is called by its number", () => {
  const nameless = () => {
    throw new Error("ENOENT: no such user");
  };
  expect(actorName(nameless)).toBe(`certctl/${process.getuid?.() ?? "unknown"}`);
});

test("by default it is the user that the process runs as", () => {
  expect(actorName()).toMatch(/^certctl\/[\x21-\x7e]+$/);
});
