import { create } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { GetStorefrontResponseSchema, StorefrontRuleSchema } from "#gen/registry/v1/storefront_service_pb.js";
import { storefrontState } from "./storefront-state.ts";

const rules = [create(StorefrontRuleSchema, { name: "all" })];
const installed = { installedAt: timestampNow() };

test.each([
  ["unused", "before the first message", {}, 0],
  ["unused", "with rules before the first message", { rules }, 0],
  ["noRules", "of an installed app without rules", installed, 0],
  ["works", "with rules and a message", { rules, lastMessageAt: timestampNow() }, 0],
  ["works", "of an installed app with rules", { rules, ...installed }, 0],
  ["attention", "with a problem", { rules, ...installed }, 1],
  ["attention", "with problems and without rules", installed, 3],
  ["removed", "of a removed app, even with rules and problems", { rules, ...installed, isClosed: true }, 3],
] as const)("%s: a connection %s", (expected, _case, storefront, problemCount) => {
  expect(storefrontState(create(GetStorefrontResponseSchema, storefront), problemCount)).toBe(expected);
});
