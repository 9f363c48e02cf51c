import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { metricValues } from "../harness/metric-values.ts";
import { createPageStore, eventsOf, type LinkedCertificate, openPagesRig } from "../harness/pages-rig.ts";
import { createTestStore } from "../harness/test-stores.ts";

const rig = await openPagesRig();
const { registry } = rig;
const storeId = await createPageStore(rig);

// With an edge of its own, because each accepts only five reports from one IP address.
const other = await openPagesRig();
const otherStoreId = await createPageStore(other);
const fresh = await openPagesRig();

const entries = { kind: "mismatch", content: "The seam is open.", email: "ada@example.test" };
// The edge refuses a form that is sent less than two seconds after it was served.
const readingMs = 2_100;
// Tests that wait for so long are concurrent.

async function openForm({ url }: Pick<LinkedCertificate, "url">, query = ""): Promise<string> {
  const text = await (await fetch(`${url}/report${query}`)).text();
  const token = /name="token" value="([^"]+)"/.exec(text)?.[1];
  if (token === undefined) throw new Error(`the form has no token: ${text}`);
  return token;
}

function send(
  { url }: Pick<LinkedCertificate, "url">,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const body = new URLSearchParams(fields);
  return fetch(`${url}/report?lang=en`, { method: "POST", body, headers, redirect: "manual" });
}

const reading = () => new Promise((resolve) => setTimeout(resolve, readingMs));

async function reportsOf(store = storeId, openOnly = false) {
  return (await registry.inspection.listReports({ openOnly }, inStore(store))).reports;
}

test.concurrent("stores a report, records an event and thanks the sender with a reference number; stores only one report if the form is sent twice", async () => {
  const certificate = await rig.issue(storeId);
  const token = await openForm(certificate);
  await reading();
  const locations: (string | null)[] = [];
  for (let attempt = 0; attempt < 2; attempt++) {
    const response = await send(certificate, { ...entries, token });
    expect(response.status).toBe(303);
    locations.push(response.headers.get("location"));
  }
  const [report, ...others] = (await reportsOf()).filter(
    ({ certificateId }) => certificateId === certificate.certificateId,
  );
  expect(others).toEqual([]);
  expect(report).toMatchObject({ kind: ReportKind.MISMATCH, content: entries.content, reporterEmail: entries.email });
  expect(await eventsOf(rig, certificate.certificateId)).toHaveLength(2);
  const reference = report?.id.toUpperCase().replace(/^.*(.{4})(.{4})$/, "$1-$2") ?? "";
  expect(locations).toEqual(Array(2).fill(`report?sent=${reference}&lang=en`));
  const thanks = await (await fetch(`${certificate.url}/${locations[0]}`)).text();
  expect(thanks).toContain("Thank you for your report");
  expect(thanks).toContain(reference);
});

test.concurrent("a form sent within two seconds says why it was refused, and is accepted when it is sent again", async () => {
  const { linkToken } = await other.issue(otherStoreId);
  // A form that a busy machine delays for two seconds is accepted, and counts as a report: another edge counts again.
  const { form, token, text } = await eventually(async () => {
    const form = { url: `${await other.openEdge()}/${linkToken}` };
    const token = await openForm(form);
    const early = await send(form, { ...entries, token });
    expect(early.status).toBe(422);
    return { form, token, text: await early.text() };
  });
  expect(text).toContain("only two seconds after it was opened");
  expect(text).toContain(entries.content);
  await reading();
  // The refused form has the token of the first one, so the two seconds do not begin again.
  expect(text).toContain(token);
  expect((await send(form, { ...entries, token })).status).toBe(303);
});

test.concurrent("accepts a corrected form at once, because two seconds count from when the form was first opened", async () => {
  const certificate = await other.issue(otherStoreId);
  const token = await openForm(certificate);
  await reading();
  const refused = await (await send(certificate, { ...entries, kind: "", token })).text();
  const next = /name="token" value="([^"]+)"/.exec(refused)?.[1] ?? "";
  expect((await send(certificate, { ...entries, token: next })).status).toBe(303);
});

test.concurrent("a form that was sent, changed in the browser after Back, and sent again gets 409, and is accepted on the next attempt", async () => {
  const certificate = await rig.issue(storeId);
  const token = await openForm(certificate);
  await reading();
  expect((await send(certificate, { ...entries, token })).status).toBe(303);
  const changed = { ...entries, content: "The zip is torn, too." };
  const refused = await send(certificate, { ...changed, token });
  const text = await refused.text();
  expect([refused.status, text]).toEqual([409, expect.stringContaining("You have already sent a report")]);
  expect(text).toContain(changed.content);
  const fresh = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? "";
  expect(fresh).not.toBe(token);
  await reading();
  expect((await send(certificate, { ...changed, token: fresh })).status).toBe(303);
  const contents = (await reportsOf()).filter(({ certificateId }) => certificateId === certificate.certificateId);
  expect(contents.map(({ content }) => content).toSorted()).toEqual([entries.content, changed.content].toSorted());
});

test.each(["", "Call-0900", "0000-000", "%3Cb%3E"])(
  "the confirmation shows no reference number for %j",
  async (sent) => {
    const { url } = await rig.issue(storeId);
    const thanks = await (await fetch(`${url}/report?sent=${sent}&lang=en`)).text();
    expect(thanks).toContain("Thank you for your report");
    expect(thanks).not.toContain("Reference number");
  },
);

describe("refuses", () => {
  const mistakes: readonly (readonly [string, Record<string, string>, string])[] = [
    ["a form without a kind", { kind: "" }, "Choose the kind of problem."],
    ["a form with an unknown kind", { kind: "<script>" }, "Choose the kind of problem."],
    ["a form without a description", { content: " \r\n" }, "Describe the problem."],
    [
      "a form with a description that is too long",
      { content: "x".repeat(4_001) },
      "Shorten the description to 4,000 characters.",
    ],
    ["a form with an invalid e-mail address", { email: "ada" }, "Enter a valid email address"],
  ];
  test.each(mistakes)("%s, asks for a correction and keeps a valid e-mail address", async (_name, changes, message) => {
    const certificate = await rig.issue(storeId);
    const token = await openForm(certificate);
    const response = await send(certificate, { ...entries, token, ...changes });
    expect(response.status).toBe(422);
    const text = await response.text();
    expect(text).toContain(message);
    if (!("email" in changes)) expect(text).toContain('value="ada@example.test"');
    expect(await eventsOf(rig, certificate.certificateId)).toHaveLength(1);
  });

  test.concurrent("a form without a token, with an altered token or another certificate's", async () => {
    const certificate = await rig.issue(storeId);
    const token = await openForm(certificate);
    const foreign = await openForm(await rig.issue(storeId));
    await reading();
    const refused = [
      await send(certificate, entries),
      await send(certificate, { ...entries, token: foreign }),
      await send(certificate, { ...entries, token: `z${token}` }),
    ];
    for (const response of refused) {
      expect(response.status).toBe(422);
      expect(await response.text()).toContain("We could not accept the form.");
    }
    expect(await eventsOf(rig, certificate.certificateId)).toHaveLength(1);
  });

  test.concurrent("a form from another site, a body that is not a form, and a form that is too large", async () => {
    const certificate = await rig.issue(storeId);
    const token = await openForm(certificate);
    await reading();
    const { status } = await send(certificate, { ...entries, token }, { "sec-fetch-site": "cross-site" });
    const json = await fetch(`${certificate.url}/report`, { method: "POST", body: "{}" });
    const large = await send(certificate, { ...entries, content: "x".repeat(100_000), token });
    expect([status, json.status, large.status]).toEqual([400, 400, 400]);
    expect(await eventsOf(rig, certificate.certificateId)).toHaveLength(1);
  });

  test.concurrent("a report from a bot that fills in every field, but responds as if the report had been accepted", async () => {
    const certificate = await rig.issue(storeId);
    const token = await openForm(certificate);
    await reading();
    const response = await send(certificate, { ...entries, token, website: "https://spam.example" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toMatch(/^report\?sent=[0-9A-Z]{4}-[0-9A-Z]{4}&lang=en$/);
    expect(await eventsOf(rig, certificate.certificateId)).toHaveLength(1);
  });

  test("a form that does not arrive completely, and counts it like one that is too large", async () => {
    const certificate = await rig.issue(storeId);
    const refused = async () => {
      const operationsUrl = `http://127.0.0.1:${rig.edge.operationsPort}`;
      return (await metricValues(operationsUrl, "edge_reports_total"))['outcome="refused_form"'] ?? 0;
    };
    const before = await refused();
    await send(certificate, { ...entries, content: "x".repeat(100_000), token: "" });
    expect(await refused()).toBe(before + 1);
    const { hostname, port, pathname } = new URL(`${certificate.url}/report`);
    const type = "application/x-www-form-urlencoded";
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nHost: edge\r\nContent-Type: ${type}\r\nContent-Length: 99\r\n\r\nkind=`,
      );
      setTimeout(() => socket.destroy(), 100);
    });
    await eventually(async () => expect(await refused()).toBe(before + 2));
  });
});

test.concurrent("refuses a sixth report from one IP address within an hour", async () => {
  const store = await createPageStore(fresh);
  const certificates = await Promise.all(Array.from({ length: 6 }, () => fresh.issue(store)));
  const tokens = await Promise.all(certificates.map((certificate) => openForm(certificate)));
  await reading();
  const responses: Response[] = [];
  for (const [index, certificate] of certificates.entries())
    responses.push(await send(certificate, { ...entries, token: tokens[index] ?? "" }));
  expect(responses.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303, 429]);
  const waitSeconds = Number(responses.at(-1)?.headers.get("retry-after"));
  expect(waitSeconds).toBeGreaterThan(0);
  expect(waitSeconds).toBeLessThanOrEqual(3_600);
});

test.concurrent("refuses an eleventh report about one certificate within a day", async () => {
  const certificate = await rig.issue(await createPageStore(rig));
  const { linkToken } = certificate;
  const report = (idempotencyKey: string) =>
    registry.verification.reportProblem({ linkToken, content: "Again.", idempotencyKey });
  const reported = [];
  for (let count = 1; count <= 10; count++) reported.push(await report(`key-${count}`));
  expect(await report("key-11").catch(toServiceError)).toMatchObject({ code: "rate_limited" });
  // If the response to the tenth report is lost, a retry gets the same response.
  expect(await report("key-10")).toEqual(reported.at(-1));
  const token = await openForm(certificate);
  await reading();
  const refused = await send(certificate, { ...entries, token });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "86400"]);
});

test("refuses reports about all certificates of a store with 1,000 reports within a day, but not other stores'", async () => {
  const storeId = await createPageStore(rig);
  const [first, second, other] = [
    await rig.issue(storeId),
    await rig.issue(storeId),
    await rig.issue(await createPageStore(rig)),
  ];
  const report = ({ linkToken }: { readonly linkToken: string }) =>
    registry.verification.reportProblem({ linkToken, content: "Again." });
  await report(first);
  const { reports } = registry.database.collections;
  const stored = await reports.findOne({ store: storeId });
  if (stored === null) throw new Error("no report is stored");
  const copies = Array.from({ length: 998 }, (_, index) => {
    const at = new Date(stored.at.getTime() - 1 - index);
    return { ...stored, _id: `${stored._id}${index}`, certificate: `crt_${index}`, at };
  });
  await reports.insertMany(copies);
  await report(second);
  expect(await report(second).catch(toServiceError)).toMatchObject({ code: "rate_limited" });
  await report(other);
  await reports.deleteMany({ store: storeId });
});

test("records the closing of a report once in the store's history, and refuses to close another store's report", async () => {
  const store = await createPageStore(rig);
  const { linkToken } = await rig.issue(store);
  const { reportId } = await registry.verification.reportProblem({ linkToken, content: "Torn." });
  const close = (by: string) => registry.reports.closeReport({ reportId }, inStore(by));
  expect(await close(await createTestStore(registry)).catch(toServiceError)).toMatchObject({ code: "not_found" });
  expect(await reportsOf(store, true)).toHaveLength(1);
  expect((await close(store)).wasClosed).toBe(false);
  expect((await close(store)).wasClosed).toBe(true);
  expect(await reportsOf(store, true)).toEqual([]);
  expect(await reportsOf(store)).toMatchObject([{ id: reportId, closedBy: "unknown" }]);
  const { entries: history } = await registry.inspection.listStoreHistory({}, inStore(store));
  expect(history.filter(({ action }) => action === "report.closed")).toMatchObject([{ details: { reportId } }]);
});
