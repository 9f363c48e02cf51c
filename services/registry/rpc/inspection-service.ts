import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { GetCertificateRequest, InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import type { CertificateLookup, CertificateSelector } from "../certificates/certificate-lookup.ts";
import { renderCertificate } from "../certificates/public-json.ts";
import { parseSerial } from "../certificates/serial.ts";
import { type DeliveryLog, readLogPage } from "../deliveries/delivery-log.ts";
import { pageToken, positionOf } from "../deliveries/log-position.ts";
import { renderSettingsOf } from "../stores/store.ts";
import { certificateReply } from "./lifecycle-service.ts";
import { askedKind, deliveryMessage } from "./outcome-messages.ts";

const pageMax = 100;
const pageDefault = 50;

/** What {@link inspectionService} works with. */
export interface InspectionDeps {
  readonly lookup: CertificateLookup;
  readonly log: DeliveryLog;
  /** The service's own verification address. */
  readonly serviceVerifyUrl: string;
  readonly now: () => Date;
}

/** InspectionService over the domain. */
export function inspectionService(deps: InspectionDeps): ServiceImpl<typeof InspectionService> {
  const { lookup, log, serviceVerifyUrl, now } = deps;
  return {
    async getCertificate({ storeId, by }) {
      const { certificate, store } = await lookup.findCertificate(storeId, selectorOf(by));
      const settings = renderSettingsOf(store, serviceVerifyUrl);
      return certificateReply(renderCertificate(certificate, settings, now()).toString());
    },

    async getHistory({ storeId, certificateId }) {
      // Finding it first makes another store's certificate "not found" instead of one without a history.
      await lookup.findCertificate(storeId, { certificateId });
      const entries = await lookup.readHistory(storeId, certificateId);
      return {
        entries: entries.map((entry) => ({ ...entry, occurredAt: timestampFromDate(entry.occurredAt) })),
      };
    },

    async listReports({ storeId, before, limit }) {
      const reports = await lookup.readReports(storeId, dateOf("before", before), countOf(limit));
      return {
        reports: reports.map((report) => ({ ...report, reportedAt: timestampFromDate(report.reportedAt) })),
      };
    },

    async listDeliveries({ storeId, outcome, since, until, limit, pageToken: token, eventId }) {
      const after = token === "" ? undefined : positionOf(token);
      if (token !== "" && after === undefined) throw badRequest("page_token", "is not one of this service");
      const times = { since: dateOf("since", since), until: dateOf("until", until) };
      const query = {
        ...{ storeId, eventId: eventId || undefined, kind: askedKind(outcome), after },
        ...times,
      };
      const { deliveries, next } = await readLogPage(log, query, countOf(limit));
      return {
        deliveries: deliveries.map(deliveryMessage),
        nextPageToken: next === undefined ? "" : pageToken(next),
      };
    },
  };
}

function dateOf(field: string, timestamp: Timestamp | undefined): Date | undefined {
  if (timestamp === undefined) return undefined;
  const date = timestampDate(timestamp);
  if (Number.isNaN(date.getTime())) throw badRequest(field, "is beyond all times");
  return date;
}

function countOf(limit: number): number {
  if (limit > pageMax) throw badRequest("limit", `is over ${pageMax}`);
  return limit || pageDefault;
}

function selectorOf(by: GetCertificateRequest["by"]): CertificateSelector {
  if (by.case === undefined) throw badRequest("by", "is missing: give a certificate_id or a serial");
  if (by.case === "certificateId") return { certificateId: by.value };
  const serial = parseSerial(by.value);
  if (serial === undefined) throw new ServiceError("not_found", "There is no such certificate.");
  return { serial };
}
