import { expect, test } from "vitest";
import { claimedShop } from "./claimed-shop.ts";

const tokenWith = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;

test.each([
  [tokenWith({ dest: "https://linden.example.test" }), "linden.example.test"],
  [tokenWith({ dest: "https://Linden.example.test:443/admin" }), "linden.example.test"],
  [tokenWith({ dest: "https://bücher.example.test" }), "xn--bcher-kva.example.test"],
  [tokenWith({ dest: "https://[::1]/" }), undefined],
  [tokenWith({ dest: `https://${"a.".repeat(200)}test` }), undefined],
  [tokenWith({ dest: "javascript:alert(1)" }), undefined],
  [tokenWith({ dest: ["https://linden.example.test"] }), undefined],
  [tokenWith({}), undefined],
  [tokenWith(null), undefined],
  [tokenWith("dest"), undefined],
  ["", undefined],
  ["a.b.c", undefined],
])("the store that the token %s names is %s", (token, shop) => {
  expect(claimedShop(token)).toBe(shop);
});
