import { expect, test } from "vitest";
import { KeyOwners } from "./key-owners.ts";

const [first, second] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

test("attributes each unknown key to itself", () => {
  const owners = new KeyOwners();
  expect(owners.ownerOf(first)).toBe(owners.ownerOf(Uint8Array.from(first)));
  expect(owners.ownerOf(first)).not.toBe(owners.ownerOf(second));
});

test("attributes all known keys of a store to the store", () => {
  const owners = new KeyOwners();
  for (const key of [first, second]) owners.note(key, "sto_1");
  expect([owners.ownerOf(first), owners.ownerOf(second)]).toEqual(["sto_1", "sto_1"]);
});
