import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { textsFor } from "#shared/texts/texts.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { startCutProxy } from "../harness/cut-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { hiddenEntriesIn } from "../harness/hidden-entries.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";

const rig = await openPagesRig();
const proxy = await startCutProxy(rig.registry.address);
const edge = await openTestEdge({ registryAddress: proxy.address });

const unconfirmed = textsFor("en")("pages.report.unconfirmed");

/** Opens the form of a new certificate, and waits until it can be sent. */
async function openForm() {
  const storeId = await createPageStore(rig);
  const { linkToken } = await rig.issue(storeId);
  const url = `http://127.0.0.1:${edge.port}/verify/${linkToken}/report?lang=en`;
  const { token = "" } = hiddenEntriesIn(await (await fetch(url)).text());
  // The edge refuses a form that is sent less than two seconds after it was served.
  await setTimeout(2_100);
  return {
    form: { kind: "mismatch", content: 'The "seam"\n<here> is open.', email: "ada@example.test", token },
    send: (fields: Readonly<Record<string, string>>, site = "same-origin") =>
      fetch(url, {
        method: "POST",
        body: new URLSearchParams(fields),
        headers: { "Sec-Fetch-Site": site },
        redirect: "manual",
      }),
    reports: async () => (await rig.registry.inspection.listReports({}, inStore(storeId))).reports,
  };
}

test("the page that answers a report during an outage keeps it, and it is accepted when it is sent again", async () => {
  const { form, send, reports } = await openForm();
  proxy.cut();
  const refused = await send(form);
  const page = await refused.text();
  expect([refused.status, page]).toEqual([503, expect.stringContaining(unconfirmed)]);
  expect(hiddenEntriesIn(page)).toEqual(form);
  proxy.heal();
  await eventually(async () => expect((await send(hiddenEntriesIn(page))).status).toBe(303));
  expect(await reports()).toMatchObject([{ content: form.content, reporterEmail: form.email }]);
});

test("a report with mistakes is kept during an outage too, and its mistakes are shown when it is sent again", async () => {
  const { form, send, reports } = await openForm();
  const { kind: _, ...withoutKind } = form;
  const mistaken = { ...withoutKind, email: "ada@example" };
  proxy.cut();
  const refused = await send(mistaken);
  const page = await refused.text();
  expect([refused.status, page]).toEqual([503, expect.stringContaining(unconfirmed)]);
  expect(hiddenEntriesIn(page)).toEqual({ ...mistaken, kind: "" });
  proxy.heal();
  await eventually(async () => expect((await send(hiddenEntriesIn(page))).status).toBe(422));
  const shown = await (await send(hiddenEntriesIn(page))).text();
  for (const mistake of ["kindMissing", "emailInvalid"] as const)
    expect(shown).toContain(textsFor("en")(`pages.report.${mistake}`));
  expect(shown).toContain("here&gt; is open.</textarea>");
  expect(await reports()).toEqual([]);
});

test("a report whose confirmation is lost is kept too, and is one report when it is sent again", async () => {
  const { form, send, reports } = await openForm();
  proxy.loseReplies("seam");
  const sent = send(form);
  await eventually(async () => expect(await reports()).toHaveLength(1));
  proxy.cut();
  const page = await (await sent).text();
  expect(hiddenEntriesIn(page)).toEqual(form);
  proxy.heal();
  await eventually(async () => expect((await send(hiddenEntriesIn(page))).status).toBe(303));
  expect(await reports()).toHaveLength(1);
});

test("the page contains no entries that another site, a robot or a client without the form has sent", async () => {
  const { form, send } = await openForm();
  proxy.cut();
  const pages = await Promise.all([
    send(form, "cross-site"),
    send({ ...form, website: "x" }),
    send({ ...form, token: `${form.token}x` }),
  ]);
  for (const response of pages) {
    expect(response.status).toBe(503);
    expect(hiddenEntriesIn(await response.text())).toEqual({});
  }
  proxy.heal();
});
