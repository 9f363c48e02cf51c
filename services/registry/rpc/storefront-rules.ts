import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type StorefrontRule as RuleMessage,
  RuleNumbering,
  RuleSelector,
} from "#gen/registry/v1/storefront_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { RuleInput } from "../storefront/check-rules.ts";
import type { RuleSelector as Selector, StorefrontRule } from "../storefront/rules.ts";

/**
 * Converts a rule that a caller sent.
 *
 * @param index position of the rule in the request, for error messages
 * @throws ServiceError `bad_request` naming the field, if the selector is missing or unknown, or if a rule for all
 *   products has a value
 */
export function ruleInputOf(message: RuleMessage, index: number): RuleInput {
  const { name, excludes, editionTotal, numbering, validDays, since } = message;
  return {
    name,
    excludes,
    selector: selectorOf(message, index),
    editionTotal: editionTotal === 0 ? null : editionTotal,
    numbering: numbering === RuleNumbering.SHARED ? "shared" : "product",
    validDays: validDays === 0 ? null : validDays,
    since: since && timestampDate(since),
  };
}

/** Converts a stored rule to its gRPC message. */
export function ruleMessageOf({ name, selector, excludes, editionTotal, numbering, validDays, since }: StorefrontRule) {
  return {
    name,
    excludes,
    ...selectorMessageOf(selector),
    editionTotal: editionTotal ?? 0,
    numbering: numbering === "shared" ? RuleNumbering.SHARED : RuleNumbering.PRODUCT,
    validDays: validDays ?? 0,
    since: timestampFromDate(since),
  };
}

function selectorOf({ selector, value }: RuleMessage, index: number): Selector {
  switch (selector) {
    case RuleSelector.ALL:
      if (value !== "") throw badRequest(`rules[${index}].value`, "must be empty if the rule selects all products");
      return { by: "all" };
    case RuleSelector.PRODUCT:
      return { by: "product", productId: value };
    case RuleSelector.TAG:
      return { by: "tag", tag: value };
    case RuleSelector.SKU:
      return { by: "sku", pattern: value };
    default:
      throw badRequest(`rules[${index}].selector`, "is missing or unknown");
  }
}

function selectorMessageOf(selector: Selector) {
  switch (selector.by) {
    case "all":
      return { selector: RuleSelector.ALL, value: "" };
    case "product":
      return { selector: RuleSelector.PRODUCT, value: selector.productId };
    case "tag":
      return { selector: RuleSelector.TAG, value: selector.tag };
    case "sku":
      return { selector: RuleSelector.SKU, value: selector.pattern };
  }
}
