import type { OrderLine } from "./message.ts";

/** The products that a rule selects. */
export type RuleSelector =
  | { readonly by: "all" }
  | { readonly by: "product"; readonly productId: string }
  | { readonly by: "tag"; readonly tag: string }
  | { readonly by: "sku"; readonly pattern: string };

/** `product`: each product has its own edition; `shared`: all products of the rule share one edition. */
type RuleNumbering = "product" | "shared";

/**
 * Determines whether the units of matching lines get certificates, how the certificates are numbered, and when they
 * expire. Only the first of a store's rules that matches a line applies to the line; gift cards never get certificates.
 */
export interface StorefrontRule {
  /** Unique in the store. */
  readonly name: string;
  readonly selector: RuleSelector;
  /** If true, the selected products get no certificates. */
  readonly excludes: boolean;
  /** Size of the edition; null for no edition. An edition size in the catalogue takes precedence. */
  readonly editionTotal: number | null;
  readonly numbering: RuleNumbering;
  /** Number of days for which certificates are valid; null if they never expire. */
  readonly validDays: number | null;
  /**
   * Orders placed before this time do not match the rule, so that a new rule issues no certificates for old orders when
   * they change.
   */
  readonly since: Date;
}

/** A line of an order, with the other facts that rules consider. */
interface RuleSubject {
  readonly line: Pick<OrderLine, "productId" | "sku" | "title" | "isGiftCard">;
  /** The product's tags; undefined while they are unknown. */
  readonly tags: readonly string[] | undefined;
  /** When the order was placed. */
  readonly orderedAtMs: number;
}

/**
 * Returns the rule under which a line gets certificates; undefined if the line gets none; `undecided` if the result
 * depends on unknown tags, because a certificate issued under the wrong rule, or for an excluded product, would remain.
 */
export function ruleFor(
  rules: readonly StorefrontRule[],
  subject: RuleSubject,
): StorefrontRule | "undecided" | undefined {
  if (subject.line.isGiftCard) return undefined;
  const applicable = rules.filter(({ since }) => since.getTime() <= subject.orderedAtMs);
  for (const [index, rule] of applicable.entries()) {
    const isSelected = selects(rule.selector, subject);
    if (isSelected === undefined) {
      const otherwise = ruleFor(applicable.slice(index + 1), subject);
      return rule.excludes && otherwise === undefined ? undefined : "undecided";
    }
    if (isSelected) return rule.excludes ? undefined : rule;
  }
  return undefined;
}

/** Returns whether the result of any rule depends on tags. */
export function dependOnTags(rules: readonly StorefrontRule[]): boolean {
  return rules.some(({ selector }) => selector.by === "tag");
}

/** Returns whether a change of a product's tags can change which rules select it. @param before undefined if unknown */
export function affectsRules(
  rules: readonly StorefrontRule[],
  { before, after }: { readonly before: readonly string[] | undefined; readonly after: readonly string[] },
): boolean {
  return rules.some(
    ({ selector }) =>
      selector.by === "tag" && (before === undefined || hasTag(before, selector.tag) !== hasTag(after, selector.tag)),
  );
}

/** Returns the name of the edition in which a rule numbers a line's units. The title replaces a missing product id. */
export function editionSeriesOf(rule: StorefrontRule, line: RuleSubject["line"]): string {
  if (rule.numbering === "shared") return `rule:${rule.name}`;
  return line.productId === "" ? `title:${line.title}` : `product:${line.productId}`;
}

/** @returns undefined if the result depends on unknown tags */
function selects(selector: RuleSelector, { line, tags }: RuleSubject): boolean | undefined {
  switch (selector.by) {
    case "all":
      return true;
    case "product":
      return line.productId === selector.productId;
    case "tag":
      return tags && hasTag(tags, selector.tag);
    case "sku":
      return matchesPattern(folded(line.sku), folded(selector.pattern));
  }
}

function hasTag(tags: readonly string[], wanted: string): boolean {
  return tags.some((tag) => folded(tag) === folded(wanted));
}

/** Returns whether a string matches a pattern in which `*` matches zero or more characters. Does not backtrack. */
function matchesPattern(text: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function folded(text: string): string {
  return text.trim().normalize("NFC").toLowerCase();
}
