import { expect, test } from "vitest";
import { previousSecretsMax, replaceSecret, type SigningSecrets, signingTexts } from "./signing-secrets.ts";

const hourMs = 3_600_000;
const at = (hours: number) => new Date(hours * hourMs);

/** Returns secrets that were rotated at these hours, from `a` to `b` and so on; a replaced secret signs for a day. */
const rotatedAt = (...hours: number[]): SigningSecrets =>
  hours.reduce<SigningSecrets>(
    (secrets, hour, index) =>
      replaceSecret(secrets, { next: "bcdefgh"[index] ?? "", previousUntil: at(hour + 24) }, at(hour)),
    { active: "a", previous: [] },
  );

test.each<[title: string, rotations: number[], hour: number, signing: string]>([
  ["no rotation", [], 100, "a"],
  ["a rotation", [0], 23, "ba"],
  ["a rotation a day ago", [0], 24, "b"],
  ["two rotations in a day", [0, 1], 23, "cba"],
  ["two rotations, the first a day ago", [0, 1], 24, "cb"],
  ["two rotations a day ago", [0, 1], 25, "c"],
  ["two rotations, more than a day apart", [0, 30], 31, "cb"],
  ["five rotations in a day, with at most four previous secrets kept", [0, 1, 2, 3, 4], 5, "fedcb"],
])("after %s, the active and the unexpired previous secrets sign, newest first", (_title, rotations, hour, signing) => {
  expect(signingTexts(rotatedAt(...rotations), at(hour))).toEqual([...signing]);
});

test("a rotation drops expired secrets, and limits the number of previous secrets", () => {
  expect(rotatedAt(0, 30).previous).toEqual([{ text: "b", until: at(54) }]);
  expect(rotatedAt(0, 0, 0, 0, 0, 0, 0).previous).toHaveLength(previousSecretsMax);
});
