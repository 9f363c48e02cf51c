import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { FindCertificatesRequest } from "#gen/registry/v1/inspection_service_pb.js";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { publicCertificateFixture } from "#shared/certificates/public-certificate-fixture.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { certificatesPage } from "./list-page.ts";

const examinedTo = timestampFromDate(new Date("2026-03-14T10:00:00Z"));
const text = textsFor("en");
// An import changes thousands of certificates on a day.
const date = "Mar 14, 2026, 10:00 AM UTC";
const examined = text("settings.certificates.examined.newest", { date });

async function show(search: string, findCertificates: (request: FindCertificatesRequest) => object) {
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

describe("a whole number is also looked up as a serial number and as an order, which a slow search does not delay", () => {
  const certificateOf = (number: number, order: string | null): PublicCertificate => ({
    ...publicCertificateFixture,
    id: `crt_${number}`,
    serial: String(number).padStart(6, "0"),
    order: { id: order && "9001", name: order },
  });
  const [own, ofOrder, other] = [certificateOf(1042, null), certificateOf(7, "#1042"), certificateOf(8, "#8")];
  const unfinished = { next: examinedTo, examinedTo };

  /**
   * Renders the first page of a search, in a store with the first two certificates.
   *
   * @param find answers the search
   * @param next where the list of the order's certificates continues. Default: it ends
   */
  async function renderNumber(
    query: string,
    find: () => object,
    stored = [own, ofOrder],
    next?: typeof examinedTo,
  ): Promise<string> {
    const view = await show(query, ({ search, serial, order }) => {
      if (search !== undefined) return find();
      const isFound = (one: PublicCertificate) =>
        order.value === one.order.name || Number(serial) === Number(one.serial);
      return { certificates: stored.filter(isFound), next: order.value === undefined ? undefined : next };
    });
    return String(view?.content);
  }
  const countOf = (page: string, { id }: PublicCertificate) => page.split(`/certificates/${id}"`).length - 1;
  const late = () => {
    throw new ConnectError("late", Code.DeadlineExceeded);
  };
  const unknown = text("settings.certificates.number.others");

  test.each([
    ["ended early without a match", () => unfinished],
    ["took too long", late],
  ])("a search that %s shows both, and says what is not known", async (_how, find) => {
    const page = await renderNumber("q=01042", find);
    for (const one of [own, ofOrder]) expect(countOf(page, one)).toBe(1);
    for (const shown of [text("settings.certificates.number.found"), unknown]) expect(page).toContain(shown);
    for (const untrue of ["noneHere", "tooSlow"] as const)
      expect(page).not.toContain(text(`settings.certificates.${untrue}`));
    expect(page).not.toContain(examined);
  });

  test.each([
    ["ended early without a match", () => unfinished],
    ["took too long", late],
  ])("if there is neither, a search that %s says so", async (_how, find) => {
    const page = await renderNumber("q=1042", find, []);
    for (const shown of [text("settings.certificates.number.none", { number: "1042" }), unknown])
      expect(page).toContain(shown);
    // With another status, there could be one.
    expect(await renderNumber("q=1042&status=revoked", find, [])).not.toContain("#1042");
  });

  test("`#` looks up the order alone", async () => {
    const page = await renderNumber("q=%231042", () => unfinished);
    expect([own, ofOrder].map((one) => countOf(page, one))).toEqual([0, 1]);
    const none = await renderNumber("q=%231042", () => unfinished, [own]);
    for (const shown of [text("settings.certificates.noneHere"), examined]) expect(none).toContain(shown);
  });

  test.each(["q=01042", "q=%2301042"])("the order is looked up as typed, and without zeros: %s", async (query) => {
    const typed = certificateOf(9, "#01042");
    const page = await renderNumber(query, () => unfinished, [typed, ofOrder]);
    expect([typed, ofOrder].map((one) => countOf(page, one))).toEqual([1, 1]);
  });

  test.each(["q=1042", "q=%231042"])("a slow search continues after the first page of the order: %s", async (query) => {
    const page = await renderNumber(query, late, [ofOrder], examinedTo);
    expect(page).toContain(`${query}&amp;after=${Date.parse("2026-03-14T10:00:00Z")}`);
    expect(page).toContain(text("settings.certificates.searchFurther"));
    for (const shown of [page, await renderNumber(query, late, [ofOrder])]) {
      expect(shown).toContain(unknown);
      expect(shown).not.toContain('<p class="hint"></p>');
    }
  });

  test.each([
    ["newest", "q=01042", 2_000],
    ["oldest", "q=01042&sort=oldest", 1_000],
  ])(
    "if two orders have the number, a slow search skips none of their certificates: %s first",
    async (_order, query, after) => {
      const positions: Readonly<Partial<Record<string, number>>> = { "#01042": 1_000, "#1042": 2_000 };
      const view = await show(query, ({ search, order }) => {
        if (search !== undefined) return late();
        const position = positions[order.value ?? ""];
        return position === undefined ? {} : { certificates: [ofOrder], next: timestampFromMs(position) };
      });
      expect(String(view?.content)).toContain(`&amp;after=${after}"`);
    },
  );

  test("a page shows what it lacks before it, and nothing twice", async () => {
    const full = await renderNumber("q=1042", () => ({ certificates: [ofOrder, other], next: examinedTo }));
    expect([own, ofOrder, other].map((one) => countOf(full, one))).toEqual([1, 1, 1]);
    expect(full.indexOf(own.serial)).toBeLessThan(full.indexOf(ofOrder.serial));
    const last = await renderNumber("q=1042", () => ({ certificates: [ofOrder, own] }));
    expect([own, ofOrder].map((one) => countOf(last, one))).toEqual([1, 1]);
    for (const page of [full, last]) expect(page).not.toContain(unknown);
    expect(last).not.toContain(text("settings.certificates.number.found"));
  });

  test("later pages are those of the search alone", async () => {
    const page = await renderNumber("q=1042&after=1773482400000", () => unfinished);
    expect(countOf(page, own)).toBe(0);
    expect(page).toContain(examined);
  });
});
