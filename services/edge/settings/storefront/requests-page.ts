import type { DataRequest } from "#gen/registry/v1/storefront_service_pb.js";
import { html } from "../../pages/html.ts";
import { code, link, moment, type Row, rowList } from "../components/content.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";

/** Lists customers' requests for the data stored about them. */
export const dataRequestsPage: SettingsPage = {
  path: "/storefront/requests",
  section: "storefront",
  async show(visit) {
    const { text, registry } = visit;
    const { requests } = await registry.storefront.listDataRequests({});
    return {
      title: text("settings.storefront.request.title"),
      lead: text("settings.storefront.request.lead"),
      parent: { path: "/storefront", title: text("settings.shell.sections.storefront") },
      content: html`<section class="panel">${rowList(
        requests.map((request) => row(visit, request)),
        text("settings.storefront.request.empty"),
      )}</section>`,
    };
  },
};

/** Downloads the report for one data request as a JSON document. */
export const dataReportDownload: SettingsPage = {
  path: "/storefront/requests/:request/report.json",
  section: "storefront",
  async download({ registry, params }) {
    const { reportJson } = await registry.storefront.getDataRequestReport({ requestId: params.request ?? "" });
    return { fileName: "customer-data.json", contentType: "application/json", content: [reportJson] };
  },
};

function row({ language, text }: Visit, { id, requestedAt }: DataRequest): Row {
  return {
    title: html`${text("settings.storefront.request.request")} ${moment(requestedAt, language)}`,
    details: [code(id)],
    more: html`<p class="more">${link(`/storefront/requests/${encodeURIComponent(id)}/report.json`, text("settings.storefront.request.download"))}</p>`,
  };
}
