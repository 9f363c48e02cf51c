import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { GetCertificateRequest, InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import type { CertificateLookup, CertificateSelector } from "../certificates/certificate-lookup.ts";
import { renderCertificate } from "../certificates/public-json.ts";
import { parseSerial } from "../certificates/serial.ts";
import { renderSettingsOf } from "../stores/store.ts";
import { certificateReply } from "./lifecycle-service.ts";

const reportsMax = 100;
const reportsDefault = 50;

/** What {@link inspectionService} works with. */
export interface InspectionDeps {
  readonly lookup: CertificateLookup;
  /** The service's own verification address. */
  readonly serviceVerifyUrl: string;
  readonly now: () => Date;
}

/** InspectionService over the domain. */
export function inspectionService(deps: InspectionDeps): ServiceImpl<typeof InspectionService> {
  const { lookup, serviceVerifyUrl, now } = deps;
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
      if (limit > reportsMax) throw badRequest("limit", `is over ${reportsMax}`);
      const older = before === undefined ? undefined : timestampDate(before);
      const reports = await lookup.readReports(storeId, older, limit || reportsDefault);
      return {
        reports: reports.map((report) => ({ ...report, reportedAt: timestampFromDate(report.reportedAt) })),
      };
    },
  };
}

function selectorOf(by: GetCertificateRequest["by"]): CertificateSelector {
  if (by.case === undefined) throw badRequest("by", "is missing: give a certificate_id or a serial");
  if (by.case === "certificateId") return { certificateId: by.value };
  const serial = parseSerial(by.value);
  if (serial === undefined) throw new ServiceError("not_found", "There is no such certificate.");
  return { serial };
}
