import { expect, test } from "vitest";
import { hostList } from "./host-name.ts";

test.each([
  ["localhost", ["localhost"]],
  [" Hooks.Corp.Internal. , .svc", ["hooks.corp.internal", ".svc"]],
  ["", []],
])("parses the list %j", (text, names) => {
  expect(hostList.parse(text)).toEqual(names);
});

test.each([
  "a b",
  ...". .. ..internal *.internal -a.internal .a-.internal https://a.internal a.internal:443 10.0.0.1 [::1]".split(" "),
])("rejects %s", (text) => {
  expect(hostList.safeParse(text).success).toBe(false);
});
