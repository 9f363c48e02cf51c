import { expect, test } from "vitest";
import { actorName } from "./actor.ts";

test.each([
  ["Ada Lovelace", "Ada Lovelace"],
  ["certctl/root", "Support: root"],
  ["platform user 7", "User 7 of the shop’s admin"],
  ["storefront", "Your storefront"],
  ["unknown", "Unknown"],
])("names %j by words that a merchant knows", (actor, name) => {
  expect(actorName(actor, "en")).toBe(name);
});
