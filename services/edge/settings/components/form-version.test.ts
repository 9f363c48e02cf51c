import { expect, test } from "vitest";
import { visitFixture } from "../visit-fixture.ts";
import { SettingsForm } from "./form.ts";

/** Renders the version in a form that was sent with version 3 and refused for a field; the current version is 4. */
function versionAfter(field: string): string {
  const entries = new URLSearchParams({ version: "3" });
  const refused = { action: "change", scope: "", entries, mistakes: [{ field, text: "" }], labels: new Map() };
  const form = new SettingsForm(visitFixture(undefined, { refused }), "change");
  return String(form.version("version", 4));
}

test("a refused form keeps the version of its entries, unless that version was the reason", () => {
  expect(versionAfter("days")).toContain('value="3"');
  expect(versionAfter("version")).toContain('value="4"');
});
