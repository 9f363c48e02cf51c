import { describe, expect, test } from "vitest";
import type { Status } from "./certificate.ts";
import { type Operation, operations, transitionOf } from "./transitions.ts";

// Derived from INTERFACE.md §3, not from the table under test.
const cells: readonly [Operation, Status, hasExpired: boolean, result: string][] = [
  ["revoke", "active", false, "revoked"],
  ["revoke", "revoked", false, "refused"],
  ["revoke", "revoked", true, "refused"],
  ["revoke", "expired", true, "refused"],
  ["reactivate", "active", false, "refused"],
  ["reactivate", "revoked", false, "active"],
  ["reactivate", "revoked", true, "refused"],
  ["reactivate", "expired", true, "refused"],
  ["transfer", "active", false, "active"],
  ["transfer", "revoked", false, "refused"],
  ["transfer", "revoked", true, "refused"],
  ["transfer", "expired", true, "refused"],
  ["verify", "active", false, "active"],
  ["verify", "revoked", false, "revoked"],
  ["verify", "revoked", true, "revoked"],
  ["verify", "expired", true, "expired"],
  ["report", "active", false, "active"],
  ["report", "revoked", false, "revoked"],
  ["report", "revoked", true, "revoked"],
  ["report", "expired", true, "expired"],
];

describe("the state machine", () => {
  test.each(cells)(
    '"%s" in status "%s" (expiry reached: %s) results in "%s"',
    (operation, status, hasExpired, result) => {
      const transition = transitionOf(operation, status, hasExpired);
      expect("to" in transition ? transition.to : "refused").toBe(result);
    },
  );

  test("has a test case for every combination of operation and status", () => {
    const covered = new Set(cells.map(([operation, status]) => `${operation} ${status}`));
    expect(covered.size).toBe(operations.length * 3);
  });

  test("returns a reason for each refusal", () => {
    for (const [operation, status, hasExpired, result] of cells) {
      const transition = transitionOf(operation, status, hasExpired);
      if (result === "refused")
        expect(transition).toEqual({ refused: expect.stringMatching(/^The certificate (is|has) .+\.$/) });
    }
  });
});
