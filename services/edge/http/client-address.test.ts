import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { networkList } from "#shared/address-guard/network.ts";
import { clientAddress } from "./client-address.ts";

const proxies = networkList.parse("10.0.0.0/8, fd00::/8");
const addressOf = (peer: string | undefined, ...forwardedFor: string[]) =>
  clientAddress({ peer, forwardedFor }, proxies);
const textOf = (peer: string, ...forwardedFor: string[]) => addressOf(peer, ...forwardedFor)?.text;

describe("the client's address", () => {
  test.each<[string, string, string[], string]>([
    ["nothing is said", "192.0.2.1", [], "192.0.2.1"],
    ["somebody who is no proxy says another one", "192.0.2.1", ["198.51.100.9"], "192.0.2.1"],
    ["a proxy says it", "10.0.0.1", ["198.51.100.9"], "198.51.100.9"],
    ["a proxy says nothing", "10.0.0.1", [], "10.0.0.1"],
    ["the client lied before", "10.0.0.1", ["127.0.0.1, 198.51.100.9"], "198.51.100.9"],
    ["the client lied that it is a proxy", "10.0.0.1", ["10.9.9.9, 198.51.100.9"], "198.51.100.9"],
    ["two proxies say it", "10.0.0.1", ["198.51.100.9, 10.0.0.2"], "198.51.100.9"],
    ["in two headers", "10.0.0.1", ["203.0.113.1", "198.51.100.9, 10.0.0.2"], "198.51.100.9"],
    ["every hop is a proxy", "10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"],
    ["with a port", "10.0.0.1", ["198.51.100.9:4711"], "198.51.100.9"],
    ["with many spaces", "10.0.0.1", ["  198.51.100.9\t"], "198.51.100.9"],
    ["IPv6", "fd00::1", ["2001:DB8:0::1"], "2001:db8::1"],
    ["IPv6 in brackets", "fd00::1", ["[2001:db8::1]"], "2001:db8::1"],
    ["IPv6 with a port", "fd00::1", ["[2001:db8::1]:443"], "2001:db8::1"],
    ["an IPv4 proxy on an IPv6 socket", "::ffff:10.0.0.1", ["198.51.100.9"], "198.51.100.9"],
    ["IPv4 in an IPv6 form", "10.0.0.1", ["::ffff:c633:6409"], "198.51.100.9"],
    ["a peer with a zone", "fe80::1%eth0", ["198.51.100.9"], "fe80::1"],
    ["garbage", "10.0.0.1", ["198.51.100.9, unknown"], "10.0.0.1"],
    ["garbage before a proxy", "10.0.0.1", ["198.51.100.9, _hidden, 10.0.0.2"], "10.0.0.2"],
    ["an empty header", "10.0.0.1", [""], "10.0.0.1"],
    ["only commas", "10.0.0.1", [",,,"], "10.0.0.1"],
    ["a short spelling", "10.0.0.1", ["1.2.3"], "10.0.0.1"],
    ["an octal spelling", "10.0.0.1", ["010.1.2.3"], "10.0.0.1"],
    ["a network", "10.0.0.1", ["198.51.100.9/32"], "10.0.0.1"],
  ])("when %s: %s %j is %s", (_name, peer, forwardedFor, expected) => {
    expect(textOf(peer, ...forwardedFor)).toBe(expected);
  });

  test("is unknown when the connection is gone, whatever was said", () => {
    expect(addressOf(undefined, "198.51.100.9")).toBeUndefined();
  });

  test("is never what somebody who is no trusted proxy says, in any words", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), (said) => {
        expect(textOf("192.0.2.1", ...said)).toBe("192.0.2.1");
        expect(textOf("10.0.0.1", ...said, "192.0.2.1")).toBe("192.0.2.1");
      }),
    );
  });

  test("is never a proxy's word for nothing: without trusted proxies it is the connection's", () => {
    const hints = { peer: "10.0.0.1", forwardedFor: ["198.51.100.9"] };
    expect(clientAddress(hints, [])?.text).toBe("10.0.0.1");
  });
});

describe("limits count", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
    ["::1", "::/64"],
  ])("%s as %s", (peer, group) => {
    expect(addressOf(peer)?.group).toBe(group);
  });
});
