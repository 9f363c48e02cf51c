import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { networkList } from "#shared/address-guard/network.ts";
import { clientAddress } from "./client-address.ts";

const proxies = networkList.parse("10.0.0.0/8, fd00::/8");
const addressOf = (peer: string | undefined, ...forwardedFor: string[]) => clientAddress(peer, forwardedFor, proxies);
const textOf = (peer: string, ...forwardedFor: string[]) => addressOf(peer, ...forwardedFor).text;

describe("clientAddress", () => {
  test.each<[string, string, string[], string]>([
    ["without a header", "192.0.2.1", [], "192.0.2.1"],
    ["with a header from an untrusted peer", "192.0.2.1", ["198.51.100.9"], "192.0.2.1"],
    ["with a header from a proxy", "10.0.0.1", ["198.51.100.9"], "198.51.100.9"],
    ["with a proxy that sends no header", "10.0.0.1", [], "10.0.0.1"],
    ["with a forged address before the client's", "10.0.0.1", ["127.0.0.1, 198.51.100.9"], "198.51.100.9"],
    ["with a forged proxy before the client's address", "10.0.0.1", ["10.9.9.9, 198.51.100.9"], "198.51.100.9"],
    ["with two proxies", "10.0.0.1", ["198.51.100.9, 10.0.0.2"], "198.51.100.9"],
    ["with two headers", "10.0.0.1", ["203.0.113.1", "198.51.100.9, 10.0.0.2"], "198.51.100.9"],
    ["with proxies only", "10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"],
    ["with a port", "10.0.0.1", ["198.51.100.9:4711"], "198.51.100.9"],
    ["with many spaces", "10.0.0.1", ["  198.51.100.9\t"], "198.51.100.9"],
    ["with IPv6", "fd00::1", ["2001:DB8:0::1"], "2001:db8::1"],
    ["with IPv6 in brackets", "fd00::1", ["[2001:db8::1]"], "2001:db8::1"],
    ["with IPv6 and a port", "fd00::1", ["[2001:db8::1]:443"], "2001:db8::1"],
    ["with an IPv4 proxy on an IPv6 socket", "::ffff:10.0.0.1", ["198.51.100.9"], "198.51.100.9"],
    ["with an IPv4-mapped IPv6 address", "10.0.0.1", ["::ffff:c633:6409"], "198.51.100.9"],
    ["with a peer that has a zone", "fe80::1%eth0", ["198.51.100.9"], "fe80::1"],
    ["with an invalid entry", "10.0.0.1", ["198.51.100.9, unknown"], "10.0.0.1"],
    ["with an invalid entry before a proxy", "10.0.0.1", ["198.51.100.9, _hidden, 10.0.0.2"], "10.0.0.2"],
    ["with an empty header", "10.0.0.1", [""], "10.0.0.1"],
    ["with only commas", "10.0.0.1", [",,,"], "10.0.0.1"],
    ["with a shortened IPv4 address", "10.0.0.1", ["1.2.3"], "10.0.0.1"],
    ["with an octal IPv4 address", "10.0.0.1", ["010.1.2.3"], "10.0.0.1"],
    ["with a network instead of an address", "10.0.0.1", ["198.51.100.9/32"], "10.0.0.1"],
  ])("%s: given the peer %s and the headers %j, returns %s", (_name, peer, forwardedFor, expected) => {
    expect(textOf(peer, ...forwardedFor)).toBe(expected);
  });

  test("returns one client for all connections that were reset, whatever their headers state", () => {
    expect(addressOf(undefined, "198.51.100.9")).toEqual({ text: "unknown", networks: ["unknown"] });
  });

  test("ignores every header value from an untrusted peer, and every value to the left of an untrusted address", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), (values) => {
        expect(textOf("192.0.2.1", ...values)).toBe("192.0.2.1");
        expect(textOf("10.0.0.1", ...values, "192.0.2.1")).toBe("192.0.2.1");
      }),
    );
  });

  test("returns the peer if no proxies are trusted", () => {
    expect(clientAddress("10.0.0.1", ["198.51.100.9"], []).text).toBe("10.0.0.1");
  });
});

describe("the keys for per-client limits", () => {
  test.each([
    ["192.0.2.1", ["192.0.2.1"]],
    ["::ffff:192.0.2.1", ["192.0.2.1"]],
    ["2001:db8:1:f2:3:4:5:6", ["2001:db8:1:f2::/64", "2001:db8:1::/56", "2001:db8:1::/48"]],
    ["2001:db8:1:abcd::9", ["2001:db8:1:abcd::/64", "2001:db8:1:ab00::/56", "2001:db8:1::/48"]],
    ["::1", ["::/64", "::/56", "::/48"]],
  ])("for the peer %s are %j", (peer, networks) => {
    expect(addressOf(peer).networks).toEqual(networks);
  });
});
