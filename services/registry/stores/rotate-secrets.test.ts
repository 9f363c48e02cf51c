import { describe, expect, test } from "vitest";
import { type LiveSecrets, type RotationStep, rotateSecrets } from "./rotate-secrets.ts";

type Live = LiveSecrets<string>;
type Kind = RotationStep<string>["kind"];

const unsigned: Live = { active: null, other: null };
const steady: Live = { active: "old", other: null };
const begun: Live = { active: "old", other: { role: "next", secret: "new" } };
const switched: Live = { active: "new", other: { role: "previous", secret: "old" } };
const finished: Live = { active: "new", other: null };

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
      const secretsOf = ({ active, other }: Live) => [active, other?.secret].filter(Boolean);
      const shared = secretsOf(path[index + 1] ?? unsigned).filter((secret) => secretsOf(before).includes(secret));
      expect(shared).not.toEqual([]);
    }
  });
});
