import { expect, test } from "vitest";
import { parseIpAddress } from "./ip-address.ts";
import { allowedNetworkList, isIn, networkList } from "./network.ts";

test.each([
  ["10.1.0.0/16", "10.1.255.255", "10.2.0.0"],
  ["127.0.0.1/32", "127.0.0.1", "127.0.0.2"],
  ["fd00:1::/32", "fd00:1:ffff::", "fd00:2::"],
  ["::1/128", "::1", "0.0.0.1"],
  [" 10.0.0.0/8 , ,192.168.7.0/24,", "192.168.7.9", "192.168.8.9"],
])("%s contains %s but not %s", (text, inside, outside) => {
  const contains = (address: string) => isIn(allowedNetworkList.parse(text), parseIpAddress(address) ?? never());
  expect(contains(inside)).toBe(true);
  expect(contains(outside)).toBe(false);
});

test("parses an empty string as an empty list", () => {
  expect(allowedNetworkList.parse("")).toEqual([]);
});

test.each([
  ..."10.0.0.1 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/ 10.0.0.0/08.0 10/8 010.0.0.0/8 0xa.0.0.0/8 10.0.0.1/8".split(" "),
  ..."::1/129 fd00::1/64 fe80::%eth0/64 localhost/8 10.0.0.0/8,x".split(" "),
  "10.0.0.0/8 127.0.0.0/8",
])("rejects %s", (text) => {
  expect(networkList.safeParse(text).error?.issues[0]?.message).toMatch("; invalid: ");
});

test.each(["0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/7", "::/0", "fc00::/6", "10.0.0.0/8,2000::/3"])(
  "%s is too large for the allowed networks, but not for the refused networks",
  (text) => {
    expect(allowedNetworkList.safeParse(text).error?.issues[0]?.message).toMatch(/larger than/);
    expect(networkList.safeParse(text).success).toBe(true);
  },
);

test.each([
  [
    networkList,
    "10.0.0.1,10.0.0.0/8,hunter2,10.0.0.1",
    "must list networks such as 10.1.0.0/16, with all host bits 0; invalid: 10.0.0.1, entry 3",
  ],
  [
    allowedNetworkList,
    "10.0.0.0/8,fd00::1/8",
    "must list networks such as 10.1.0.0/16, with all host bits 0; invalid: fd00::1/8",
  ],
  [
    allowedNetworkList,
    "::/0, 10.0.0.0/8, 0.0.0.0/1",
    "must not list IPv4 networks larger than /8 or IPv6 networks larger than /7: ::/0, 0.0.0.0/1",
  ],
])("names each invalid entry once, by its position if it may be a secret: case %#", (list, text, problem) => {
  expect(list.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([problem]);
});

function never(): never {
  throw new Error("not an address");
}
