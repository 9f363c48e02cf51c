import { expect, test } from "vitest";
import { FailedLogins, peerGroup } from "./failed-logins.ts";

function loginsAt() {
  let nowMs = 0;
  const clock = { now: () => nowMs, sleep: async () => undefined };
  const logins = new FailedLogins(clock, { capacity: 2, tokensPerSecond: 0.2 });
  return { logins, pass: (ms: number) => (nowMs += ms) };
}

test("reports a wait after too many failures of a peer, and allows one more failure once the wait has passed", () => {
  const { logins, pass } = loginsAt();
  expect([1, 2, 3].map(() => logins.count("192.0.2.1"))).toEqual([0, 0, 5]);
  pass(5_000);
  expect([1, 2].map(() => logins.count("192.0.2.1"))).toEqual([0, 5]);
});

test("counts each peer's failures separately", () => {
  const { logins } = loginsAt();
  for (let count = 0; count < 5; count++) logins.count("192.0.2.1");
  expect(logins.count("192.0.2.2")).toBe(0);
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2::3", "2001:db8:1::/48"],
  ["2001:db8:1:ffff::4", "2001:db8:1::/48"],
  ["fe80::1%eth0", "fe80::/48"],
  ["", ""],
])("the peer %j belongs to the group %j", (peer, group) => {
  expect(peerGroup(peer)).toBe(group);
});
