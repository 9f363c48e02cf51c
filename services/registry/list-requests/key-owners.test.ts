import { expect, test } from "vitest";
import { KeyOwners } from "./key-owners.ts";

const [first, second] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

test("attributes unknown keys to a few shared owners", () => {
  const owners = new KeyOwners();
  expect(owners.ownerOf(first)).toBe(owners.ownerOf(Uint8Array.from(first)));
  const all = Array.from({ length: 256 }, (_, byte) => owners.ownerOf(new Uint8Array(32).fill(byte)));
  expect(new Set(all).size).toBe(8);
});

test("attributes all known keys of a store to that store", () => {
  const owners = new KeyOwners();
  for (const key of [first, second]) owners.note(key, { storeId: "sto_1", isAdmitted: false });
  expect([owners.ownerOf(first), owners.ownerOf(second)]).toEqual(["sto_1", "sto_1"]);
});

test("permits an early read only if the last request with the key was admitted", () => {
  const owners = new KeyOwners();
  expect(owners.storeOfAdmitted(first)).toBeUndefined();
  owners.note(first, { storeId: "sto_1", isAdmitted: true });
  expect(owners.storeOfAdmitted(first)).toBe("sto_1");
  owners.note(first, { storeId: "sto_1", isAdmitted: false });
  expect(owners.storeOfAdmitted(first)).toBeUndefined();
});

test("permits no early read with a key that is no longer valid", () => {
  const owners = new KeyOwners();
  owners.note(first, { storeId: "sto_1", isAdmitted: true });
  owners.forget(first);
  expect(owners.storeOfAdmitted(first)).toBeUndefined();
});
