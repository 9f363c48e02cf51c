import { expect, test } from "vitest";
import { changedEntries } from "./changed-entries.ts";

const shown = { "shown-name": "Linden", "shown-owner": "nothing" };

function compare(
  entries: Readonly<Record<string, string>>,
  current: { readonly name: string; readonly owner: string },
) {
  const form = { text: (name: string) => entries[name] ?? "", has: (name: string) => Object.hasOwn(entries, name) };
  const { changed, conflicts } = changedEntries(form, current);
  return { changed: [...changed], conflicts };
}

test("a field that only somebody else has changed is not changed back", () => {
  const entries = { ...shown, name: "Linden Press", owner: "nothing" };
  const current = { name: "Linden", owner: "name" };
  expect(compare(entries, current)).toEqual({ changed: ["name"], conflicts: [] });
});

test("a field that both have changed differently is a conflict", () => {
  const entries = { ...shown, name: "Linden", owner: "initials" };
  const changed = ["owner"];
  expect(compare(entries, { name: "Linden", owner: "name" })).toEqual({ changed, conflicts: ["owner"] });
  expect(compare(entries, { name: "Linden", owner: "initials" })).toEqual({ changed, conflicts: [] });
});

test("an emptied field counts as changed", () => {
  const entries = { ...shown, name: "", owner: "nothing" };
  expect(compare(entries, { name: "Linden", owner: "nothing" })).toEqual({ changed: ["name"], conflicts: [] });
});

test("fields without a shown value count as changed", () => {
  const entries = { name: "Linden", owner: "nothing" };
  expect(compare(entries, { name: "Other", owner: "name" })).toEqual({ changed: ["name", "owner"], conflicts: [] });
});

test("spaces around the current value do not count as a change", () => {
  const entries = { ...shown, name: "Linden Press", owner: "nothing" };
  expect(compare(entries, { name: " Linden ", owner: "nothing" })).toEqual({ changed: ["name"], conflicts: [] });
});
