import { expect, test } from "vitest";
import { actorName } from "./actor-name.ts";

test.each([
  ["ada", "certctl/ada"],
  ["DOMAIN\\ada", "certctl/DOMAIN\\ada"],
  ["ada lovelace", "certctl/ada_lovelace"],
  ["jürgen", "certctl/j_rgen"],
  ["a\r\nx-other: b", "certctl/a__x-other:_b"],
])("maps the user %j to the actor %s", (userName, actor) => {
  expect(actorName(() => userName)).toBe(actor);
});

test("uses the numeric user id if the user has no name", () => {
  const nameless = () => {
    throw new Error("ENOENT: no such user");
  };
  expect(actorName(nameless)).toBe(`certctl/${process.getuid?.() ?? "unknown"}`);
});

test("uses the name of the process's user by default, in printable ASCII", () => {
  expect(actorName()).toMatch(/^certctl\/[\x21-\x7e]+$/);
});
