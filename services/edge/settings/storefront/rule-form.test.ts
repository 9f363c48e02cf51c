import { expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { visitFixture } from "../visit-fixture.ts";
import { ruleForm } from "./rule-form.ts";

test.each(["tag", "sku", "product"] as const)(
  "a mistake in the value of a rule by %s has the label of the shown field",
  (selector) => {
    const entries = new URLSearchParams({ selector });
    const mistakes = [{ field: "value", text: "" }];
    const refused = { action: "add", scope: "", entries, mistakes, labels: new Map<string, string>() };
    ruleForm(visitFixture(undefined, { refused }), { action: "add", version: 1 });
    expect(refused.labels.get("value")).toBe(textsFor("en")(`settings.storefront.ruleForm.kinds.${selector}`));
  },
);
