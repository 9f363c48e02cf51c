import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";

/** A rule that selects all products, in orders of any age. */
export const allProducts = { name: "all", selector: RuleSelector.ALL, since: { seconds: 0n } };
