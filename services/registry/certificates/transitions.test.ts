import { describe, expect, test } from "vitest";
import type { Status } from "./certificate.ts";
import { type Operation, operations, transitionOf } from "./transitions.ts";

// Derived from INTERFACE.md §3, not from the table under test.
const cells: readonly [Operation, Status, hasExpired: boolean, to: string | undefined][] = [
  ["revoke", "active", false, "revoked"],
  ["revoke", "revoked", false, undefined],
  ["revoke", "revoked", true, undefined],
  ["revoke", "expired", true, undefined],
  ["reactivate", "active", false, undefined],
  ["reactivate", "revoked", false, "active"],
  ["reactivate", "revoked", true, undefined],
  ["reactivate", "expired", true, undefined],
  ["transfer", "active", false, "active"],
  ["transfer", "revoked", false, undefined],
  ["transfer", "revoked", true, undefined],
  ["transfer", "expired", true, undefined],
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
  test.each(cells)("%s of a certificate that is %s (expired: %s) leads to %s", (operation, status, hasExpired, to) => {
    const transition = transitionOf(operation, status, hasExpired);
    expect("to" in transition ? transition.to : undefined).toBe(to);
  });

  test("is covered for every operation and status", () => {
    const covered = new Set(cells.map(([operation, status]) => `${operation} ${status}`));
    expect(covered.size).toBe(operations.length * 3);
  });

  test("gives the reason for each refusal", () => {
    for (const [operation, status, hasExpired, to] of cells) {
      const transition = transitionOf(operation, status, hasExpired);
      if (to === undefined)
        expect(transition).toEqual({ refused: expect.stringMatching(/^The certificate (is|has) .+\.$/) });
    }
  });
});
