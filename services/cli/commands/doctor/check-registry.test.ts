import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { checkClock, failureFindings, isUnreachable } from "./check-registry.ts";

test.each([
  { code: Code.PermissionDenied, faulty: "the registry accepts certctl as an operator" },
  { code: Code.Unimplemented, faulty: "the registry can run its own checks" },
  { code: Code.Internal, faulty: "the registry can run its own checks" },
  { code: Code.ResourceExhausted, faulty: "the registry can run its own checks" },
])("treats a registry that answers with code $code as reachable", ({ code, faulty }) => {
  const findings = failureFindings(new ConnectError("refused", code), "registry.example.test");
  expect(findings.map(({ condition, state }) => [condition, state])).toEqual([
    ["the registry can be reached", "ok"],
    [faulty, "fault"],
  ]);
  expect(isUnreachable(findings)).toBe(false);
});

test.each([Code.Unavailable, Code.DeadlineExceeded])("treats a registry as unreachable after code %i", (code) => {
  expect(isUnreachable(failureFindings(new ConnectError("no answer", code), "registry.example.test"))).toBe(true);
});

const call = { from: 100_000, to: 101_000 };

test.each([
  [100_500, "ok", "no difference"],
  [101_040, "ok", "40 ms"],
  [95_000, "ok", "5000 ms"],
  [94_999, "fault", "the registry's clock is 5.1 s behind"],
  [161_000, "fault", "the registry's clock is 60 s ahead"],
])("judges the registry's time %i, read during a call from 100000 to 101000: %s", (time, state, seen) => {
  expect(checkClock(call, time)).toMatchObject({ state, seen });
});
