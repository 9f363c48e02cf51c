import { describe, expect, test } from "vitest";
import {
  type LiveSecrets,
  previousSecretsMax,
  type RotationStep,
  replaceSecret,
  rotateSecrets,
  signingSecrets,
} from "./rotate-secrets.ts";

type Live = LiveSecrets<string> | null;
type Kind = RotationStep<string>["kind"];

const unsigned: Live = null;
const steady: Live = { active: "old", others: [] };
const begun: Live = { active: "old", others: [{ role: "next", secret: "new", until: null }] };
const switched: Live = { active: "new", others: [{ role: "previous", secret: "old", until: null }] };
const finished: Live = { active: "new", others: [] };

const take = (live: Live, kind: Kind) => rotateSecrets(live, kind === "begin" ? { kind, next: "new" } : { kind });

describe("rotateSecrets", () => {
  test.each<[Live, Kind, Live]>([
    [steady, "begin", begun],
    [begun, "switch", switched],
    [switched, "finish", finished],
    [begun, "cancel", steady],
    [steady, "remove", unsigned],
    [begun, "remove", unsigned],
    [switched, "remove", unsigned],
  ])("from %j, %s leads to %j", (live, kind, after) => {
    expect(take(live, kind)).toEqual(after);
  });

  test.each<[Live, Kind, string, RegExp]>([
    [begun, "begin", "conflict", /^The secret is already being replaced\. Switch to the new secret or discard it\.$/],
    [switched, "begin", "conflict", /^The replacement of the secret is not finished\. Drop the old secret/],
    [steady, "switch", "failed_precondition", /^No secret is being replaced/],
    [switched, "switch", "failed_precondition", /^The new secret is already active\. Drop/],
    [steady, "finish", "failed_precondition", /^No secret is being replaced/],
    [begun, "finish", "failed_precondition", /^The new secret is not active yet\. Switch/],
    [steady, "cancel", "failed_precondition", /^No secret is being replaced/],
    [switched, "cancel", "failed_precondition", /^The new secret is already active\. Drop/],
    [unsigned, "begin", "failed_precondition", /not signed: create a secret first/],
    [unsigned, "switch", "failed_precondition", /not signed/],
    [unsigned, "finish", "failed_precondition", /not signed/],
    [unsigned, "cancel", "failed_precondition", /not signed/],
    [unsigned, "remove", "failed_precondition", /not signed, so there is no secret to remove\.$/],
  ])("from %j, %s is refused with %s", (live, kind, code, message) => {
    expect(() => take(live, kind)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  test("keeps at least one secret live across each step of a complete rotation", () => {
    const path: Live[] = [steady, begun, switched, finished];
    for (const [index, before] of path.slice(0, -1).entries()) {
      const secretsOf = (live: Live) => (live ? [live.active, ...live.others.map(({ secret }) => secret)] : []);
      const shared = secretsOf(path[index + 1] ?? unsigned).filter((secret) => secretsOf(before).includes(secret));
      expect(shared).not.toEqual([]);
    }
  });
});

describe("replaceSecret", () => {
  const hourMs = 3_600_000;
  const at = (hours: number) => new Date(hours * hourMs);

  /** Returns secrets that were rotated at these hours, from `a` to `b` and so on; a replaced secret signs for a day. */
  const rotatedAt = (...hours: number[]): LiveSecrets<string> =>
    hours.reduce<LiveSecrets<string>>(
      (secrets, hour, index) =>
        replaceSecret(secrets, { next: "bcdefgh"[index] ?? "", previousUntil: at(hour + 24) }, at(hour)),
      { active: "a", others: [] },
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
  ])(
    "after %s, the active and the unexpired previous secrets sign, newest first",
    (_title, rotations, hour, signing) => {
      expect(signingSecrets(rotatedAt(...rotations), at(hour))).toEqual([...signing]);
    },
  );

  test("a rotation drops expired secrets, and limits the number of previous secrets", () => {
    expect(rotatedAt(0, 30).others).toEqual([{ role: "previous", secret: "b", until: at(54) }]);
    expect(rotatedAt(0, 0, 0, 0, 0, 0, 0).others).toHaveLength(previousSecretsMax);
  });
});
