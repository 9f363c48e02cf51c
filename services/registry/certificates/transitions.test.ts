import { describe, expect, test } from "vitest";
import type { Status } from "./certificate.ts";
import { type Operation, operations, transitionOf } from "./transitions.ts";

// Written out from INTERFACE.md §3 and its silences, not from the table under test.
const cells: readonly [Operation, Status, isPastDate: boolean, to: string | undefined][] = [
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
  test.each(cells)(
    "%s of a certificate that is %s (past its date: %s) leads to %s",
    (operation, status, isPastDate, to) => {
      const transition = transitionOf(operation, status, isPastDate);
      expect("to" in transition ? transition.to : undefined).toBe(to);
    },
  );

  test("has been asked for every operation in every state", () => {
    const asked = new Set(cells.map(([operation, status]) => `${operation} ${status}`));
    expect(asked.size).toBe(operations.length * 3);
  });

  test("says in words why it refuses", () => {
    for (const [operation, status, isPastDate, to] of cells) {
      const transition = transitionOf(operation, status, isPastDate);
      if (to === undefined)
        expect(transition).toEqual({ refused: expect.stringMatching(/^The certificate is .+\.$/) });
    }
  });
});
