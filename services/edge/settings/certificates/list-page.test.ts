import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { certificatesPage } from "./list-page.ts";

const examinedTo = timestampFromDate(new Date("2026-03-14T10:00:00Z"));
const text = textsFor("en");
// An import changes thousands of certificates on a day.
const date = "Mar 14, 2026, 10:00 AM UTC";
const examined = text("settings.certificates.examined.newest", { date });

async function show(search: string, findCertificates: () => object) {
  const visit = visitFixture(({ service }) => service(settingsServices.inspection, { findCertificates }), {
    query: new URLSearchParams(search),
  });
  return certificatesPage.show?.(visit);
}

async function render(search: string, answer: object): Promise<string> {
  return String((await show(search, () => answer))?.content);
}

test("a search without a result says what can be searched, and offers to clear it", async () => {
  const page = await render("q=opper", {});
  for (const shown of [text("settings.certificates.empty"), text("settings.certificates.searchable")])
    expect(page).toContain(shown);
  expect(page).toContain(text("settings.certificates.clear"));
  expect(page).not.toContain(examined);
});

test("a page that ended before all certificates were examined says so, and offers to search further", async () => {
  const page = await render("q=vase", { next: examinedTo, examinedTo });
  expect(page).toContain(text("settings.certificates.noneHere"));
  expect(page).toContain(examined);
  expect(page).toContain(text("settings.certificates.searchFurther"));
  expect(page).toContain(`q=vase&amp;after=${Date.parse("2026-03-14T10:00:00Z")}`);
  expect(page).not.toContain(text("settings.certificates.empty"));
  const oldestFirst = await render("q=vase&sort=oldest", { next: examinedTo, examinedTo });
  expect(oldestFirst).toContain(text("settings.certificates.examined.oldest", { date }));
});

test("a list without a search does not speak of one, but of how the first certificate is made", async () => {
  const page = await render("", {});
  for (const ofSearch of [text("settings.certificates.clear"), text("settings.certificates.empty")])
    expect(page).not.toContain(ofSearch);
  expect(page).toContain(text("settings.certificates.none"));
});

test("a search that took too long says so, with what can be searched; a list that cannot be read is an error", async () => {
  const fail = () => {
    throw new ConnectError("late", Code.DeadlineExceeded);
  };
  const view = await show("q=vase&status=active", fail);
  expect(view?.failure?.code).toBe("unavailable");
  const page = String(view?.content);
  for (const shown of [text("settings.certificates.tooSlow"), text("settings.certificates.searchable")])
    expect(page).toContain(shown);
  expect(page).toContain('value="vase"');
  expect(page).not.toContain(text("settings.certificates.empty"));
  await expect(show("status=active", fail)).rejects.toThrow("late");
});
