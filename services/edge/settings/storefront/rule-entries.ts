import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { RuleNumbering, RuleSelector, type StorefrontRuleSchema } from "#gen/registry/v1/storefront_service_pb.js";
import { namedValues } from "#shared/enums/named-values.ts";
import type { SentForm } from "../model/settings-page.ts";
import { startOfDay } from "../model/start-of-day.ts";

/** A rule as sent to the registry. */
export type RuleInit = MessageInitShape<typeof StorefrontRuleSchema>;

/** The values of the form field `selector`, in the order in which forms offer them. */
export const selectorNames = ["all", "tag", "sku", "product"] as const;

/** A value of the form field `selector`. */
export type SelectorName = (typeof selectorNames)[number];

const selectors = namedValues(RuleSelector);

/** Why an entry is invalid. */
export type RuleFault = "valueRequired" | "productId" | "editionSize" | "validDays" | "date";

/** Maximum size of an edition, and maximum validity in days; see StorefrontRule. */
const editionMax = 1_000_000_000;
const daysMax = 36_500;

/** Converts the entries of a rule form to a rule, and lists the invalid entries. */
export function readRule(form: Pick<SentForm, "text">): {
  /** Has no name, and has `since` only if a date was entered. */
  readonly rule: RuleInit & { readonly selector: RuleSelector; readonly value: string };
  readonly faults: readonly { readonly field: string; readonly fault: RuleFault }[];
} {
  const selectorName = selectorNameIn(form.text("selector"));
  const value = valueFor(selectorName, form.text("value"));
  const excludes = form.text("outcome") === "none";
  // A rule that issues no certificates has no edition size and no validity: both entries are ignored, even if invalid.
  const editionTotal = excludes ? 0 : wholeNumber(form.text("edition"), editionMax);
  const validDays = excludes ? 0 : wholeNumber(form.text("days"), daysMax);
  const since = startOfDay(form.text("since"));
  const isSinceWrong = since === undefined && form.text("since") !== "";
  const valueFault = faultOf(selectorName, value);
  return {
    rule: {
      selector: selectors[selectorName],
      value,
      excludes,
      editionTotal: editionTotal ?? 0,
      validDays: validDays ?? 0,
      numbering: form.text("numbering") === "shared" ? RuleNumbering.SHARED : RuleNumbering.PRODUCT,
      ...(since && { since: timestampFromDate(since) }),
    },
    faults: [
      ...(valueFault === undefined ? [] : [{ field: "value", fault: valueFault }]),
      ...(editionTotal === undefined ? [{ field: "edition", fault: "editionSize" } as const] : []),
      ...(validDays === undefined ? [{ field: "days", fault: "validDays" } as const] : []),
      ...(isSinceWrong ? [{ field: "since", fault: "date" } as const] : []),
    ],
  };
}

/** Returns the selector that a form's entry names; `all` for any other entry. */
export function selectorNameIn(entry: string): SelectorName {
  return selectorNames.find((name) => name === entry) ?? "all";
}

// A rule for all products has no value: the form hides what was entered before they were chosen.
function valueFor(selector: SelectorName, entry: string): string {
  if (selector === "all") return "";
  return selector === "product" ? halfWidth(entry) : entry;
}

function faultOf(selector: SelectorName, value: string): RuleFault | undefined {
  if (selector === "all") return undefined;
  if (value === "") return "valueRequired";
  return selector === "product" && !/^\d{1,20}$/.test(value) ? "productId" : undefined;
}

/** Returns an entered number from 1 to `max`; 0 for an empty string; undefined for any other string. */
function wholeNumber(text: string, max: number): number | undefined {
  const digits = halfWidth(text);
  if (digits === "") return 0;
  return /^\d{1,10}$/.test(digits) && Number(digits) >= 1 && Number(digits) <= max ? Number(digits) : undefined;
}

/** Converts full-width characters, which Japanese input methods enter, to their ASCII forms. */
function halfWidth(text: string): string {
  return text.normalize("NFKC");
}
