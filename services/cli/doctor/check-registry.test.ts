import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { failureFindings, isUnreachable } from "./check-registry.ts";

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
