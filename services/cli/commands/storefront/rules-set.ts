import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Option } from "commander";
import { RuleNumbering, RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { defineCommand } from "../../command/command.ts";
import { parseCount, parseTime } from "../../command/option-values.ts";
import { UsageError } from "../../output/usage-error.ts";
import { changeRules, type RuleInit, withRule } from "./change-rules.ts";

interface RuleOptions {
  readonly all?: boolean;
  readonly product?: string;
  readonly tag?: string;
  readonly sku?: string;
  readonly exclude?: boolean;
  readonly edition?: number;
  readonly sharedEdition?: boolean;
  readonly validDays?: number;
  readonly since?: Timestamp;
}

export const storefrontRulesSet = defineCommand<RuleOptions>({
  name: "storefront rules set",
  changes: "store",
  description:
    "append a rule, or replace the rule with this name; the first rule that selects a product decides whether the " +
    "product gets certificates",
  configure: (command) =>
    command
      .argument("<name>", "1 to 40 letters, digits, '-' or '_'")
      .addOption(new Option("--all", "all products").conflicts(["product", "tag", "sku"]))
      .addOption(new Option("--product <id>", "the product with this id").conflicts(["tag", "sku"]))
      .addOption(new Option("--tag <tag>", "products with this tag").conflicts(["sku"]))
      .option("--sku <pattern>", "products whose SKU matches this pattern, such as 'ART-*'")
      .option("--exclude", "issue no certificates for these products")
      .option("--edition <size>", "number the certificates of each product as an edition of this size", parseCount)
      .option("--shared-edition", "use one edition for all products of the rule")
      .option("--valid-days <n>", "number of days for which certificates are valid; default: forever", parseCount)
      .option(
        "--since <time>",
        "ignore orders placed before this time (RFC 3339); default: unchanged, or now for a new rule",
        parseTime,
      ),
  async run({ selectStore, output, options, args: [name = ""] }) {
    const rule = ruleOf(name, options);
    await changeRules(await selectStore(), (rules) => withRule(rules, rule));
    output.result({ rule: name }, `saved the rule ${name}`);
  },
});

function ruleOf(name: string, options: RuleOptions): RuleInit {
  const { exclude, edition, sharedEdition, validDays, since } = options;
  return {
    name,
    ...selectorOf(options),
    excludes: exclude ?? false,
    validDays: validDays ?? 0,
    editionTotal: edition ?? 0,
    numbering: sharedEdition ? RuleNumbering.SHARED : RuleNumbering.PRODUCT,
    ...(since && { since }),
  };
}

function selectorOf({ all, product, tag, sku }: RuleOptions) {
  if (all) return { selector: RuleSelector.ALL, value: "" };
  if (product !== undefined) return { selector: RuleSelector.PRODUCT, value: product };
  if (tag !== undefined) return { selector: RuleSelector.TAG, value: tag };
  if (sku !== undefined) return { selector: RuleSelector.SKU, value: sku };
  throw new UsageError("Say which products the rule selects: --all, --product, --tag or --sku.");
}
