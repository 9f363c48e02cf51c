import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { visitFixture } from "../visit-fixture.ts";
import { reportsPage } from "./page.ts";

const start = Date.parse("2026-11-24T10:00:00Z");

/** Renders the page of a store with some reports. @returns their number on the page, and the link to the next */
async function pageOf(count: number) {
  const reports = Array.from({ length: count }, (_, index) => {
    return { id: `rep_${index}`, reportedAt: timestampFromMs(start - index * 60_000) };
  });
  const visit = visitFixture((router) =>
    router.service(InspectionService, { listReports: ({ limit }) => ({ reports: reports.slice(0, limit) }) }),
  );
  const content = String((await reportsPage.show?.(visit))?.content);
  return { shown: content.match(/class="message"/g)?.length, next: /\/reports\?before=\d+/.exec(content)?.[0] };
}

test("a page of reports links to the next only if there are more", async () => {
  expect(await pageOf(25)).toEqual({ shown: 25, next: undefined });
  expect(await pageOf(26)).toEqual({ shown: 25, next: `/reports?before=${start - 24 * 60_000}` });
});

test.each([
  ["open ones, without calling closed ones missing", "", "No open reports"],
  ["all", "all", "No reports."],
])("an empty list says which reports it lists: %s", async (_name, query, expected) => {
  const visit = visitFixture((router) => router.service(InspectionService, { listReports: () => ({ reports: [] }) }), {
    query: new URLSearchParams(query),
  });
  expect(String((await reportsPage.show?.(visit))?.content)).toContain(`<p class="empty">${expected}</p>`);
});
