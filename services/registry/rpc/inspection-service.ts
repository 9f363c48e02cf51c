import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type GetCertificateRequest, InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { CertificateLookup, CertificateSelector } from "../certificates/certificate-lookup.ts";
import type { SampleStore } from "../certificates/create-samples.ts";
import { type ListDeps, listCertificates, type SearchableFeed } from "../certificates/list-certificates.ts";
import { parseSearch } from "../certificates/parse-search.ts";
import type { Reports } from "../certificates/problem-report.ts";
import { renderCertificate } from "../certificates/public-json.ts";
import { parseSerial } from "../certificates/serial.ts";
import { countWeek, type DeliveryLog, readLogPage } from "../deliveries/delivery-log.ts";
import { remainingMs } from "../load/call-limits.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import type { StoreHistory } from "../stores/store-history.ts";
import { notFound } from "../values/not-found.ts";
import { pageOf, placeAfter, tokenOf } from "../values/page-token.ts";
import { renderSettingsOf } from "../values/store.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { storeOf } from "./call-scope.ts";
import { withLabels } from "./certificate-labels.ts";
import { deliverySelection } from "./delivery-selection.ts";
import { reportKindNames } from "./enum-tables.ts";
import { certificateReply } from "./lifecycle-service.ts";
import { listFilterOf, newestFirstFilterOf } from "./list-messages.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { deliveryMessage } from "./outcome-messages.ts";
import { checkCount, dateOf, knownEvent, pageSize } from "./request-limits.ts";

const eventsMax = 6;
// An event with every string at its limit is smaller than 16 KiB, so this many certificates fit in a message and in a
// reply of the database, which have at most 16 MiB each.
const jsonCertificatesMax = 1_000;
// A page that is longer than those of the API runs in the places of searches: it must neither take the places of lists
// nor raise the time that they are expected to take.
const listedMax = 100;

interface InspectionDeps extends ListDeps<SearchableFeed> {
  readonly lookup: CertificateLookup;
  readonly log: DeliveryLog;
  readonly storeHistory: Pick<StoreHistory, "read">;
  readonly reports: Pick<Reports, "list">;
  readonly samples: Pick<SampleStore, "findSample">;
  /** The load shedder for the API's list requests; FindCertificates shares it, except for searches and long pages. */
  readonly shedder: Pick<LoadShedder, "run">;
  readonly searches: Pick<LoadShedder, "run">;
}

/** Implements InspectionService: translates between its messages and the domain. */
export function inspectionService(deps: InspectionDeps): OfferedService {
  const { lookup, log, samples, serviceVerifyUrl } = deps;

  return offer(InspectionService, {
    async getCertificate({ by }, context) {
      const { certificate, store, now } = await lookup.findCertificate(storeOf(context), selectorOf(by));
      const settings = renderSettingsOf(store, serviceVerifyUrl);
      return certificateReply(renderCertificate(certificate, settings, now).toString());
    },

    async findCertificates(request, context) {
      const limit = pageSize(request.limit, { max: request.asJson ? jsonCertificatesMax : listedMax });
      dateOf("updated_since", request.updatedSince);
      dateOf("after", request.after);
      const filter = request.newestFirst ? newestFirstFilterOf(request) : listFilterOf(request);
      const search = request.search === undefined ? undefined : parseSearch(request.search);
      if (filter === undefined || (request.search !== undefined && search === undefined)) return { certificates: [] };
      const storeId = storeOf(context);
      const limits = callLimitsOf(context);
      const page = { filter, search, limit, remainingMs: () => remainingMs(limits) };
      const shedder = search === undefined && limit <= listedMax ? deps.shedder : deps.searches;
      const found = await shedder.run({ store: storeId, ...limits }, () => listCertificates(deps, storeId, page));
      return {
        ...(request.asJson ? { json: found.json } : { certificates: JSON.parse(`[${found.json}]`) }),
        ...(found.next && { next: timestampFromDate(found.next) }),
        ...(found.examinedTo && { examinedTo: timestampFromDate(found.examinedTo) }),
      };
    },

    async getSample({ sampleId }, context) {
      const { id, product, createdAt } = await samples.findSample(storeOf(context), sampleId);
      return {
        sample: {
          id,
          productTitle: product.title,
          productVariant: product.variant,
          createdAt: timestampFromDate(createdAt),
        },
      };
    },

    async getHistory({ certificateId }, context) {
      const storeId = storeOf(context);
      // Throws not_found for another store's certificate, whose history would otherwise look empty.
      await lookup.findCertificate(storeId, { certificateId });
      const entries = await lookup.readHistory(storeId, certificateId);
      return {
        entries: entries.map((entry) => ({ ...entry, occurredAt: timestampFromDate(entry.occurredAt) })),
      };
    },

    async listStoreHistory({ limit, pageToken: token }, context) {
      const countMax = pageSize(limit);
      const found = await deps.storeHistory.read(storeOf(context), placeAfter(token), countMax + 1);
      const { entries, next } = pageOf(found, countMax, ({ occurredAt, id }) => ({ at: occurredAt, id }));
      return {
        entries: entries.map(({ id, occurredAt, details, ...entry }) => ({
          ...entry,
          entryId: id,
          details: { ...details },
          occurredAt: timestampFromDate(occurredAt),
        })),
        nextPageToken: tokenOf(next),
      };
    },

    async listReports({ before, limit, openOnly }, context) {
      const storeId = storeOf(context);
      const query = {
        storeId,
        before: dateOf("before", before),
        openOnly,
        countMax: pageSize(limit),
      };
      const reports = await deps.reports.list(query);
      const labelled = await withLabels(lookup, storeId, reports);
      return {
        reports: labelled.map(({ kind, reportedAt, closed, ...report }) => ({
          ...report,
          kind: reportKindNames.valueOf(kind),
          reportedAt: timestampFromDate(reportedAt),
          ...(closed && { closedAt: timestampFromDate(closed.at), closedBy: closed.by }),
        })),
      };
    },

    async countWeek({ since, events }, context) {
      checkCount("events", events.length, eventsMax);
      for (const event of events) knownEvent("events", event);
      const start = dateOf("since", since);
      if (start === undefined) throw badRequest("since", "is missing");
      const limits = callLimitsOf(context);
      const week = { storeId: storeOf(context), types: events, since: start, remainingMs: () => remainingMs(limits) };
      const { weeks, isPartial } = await countWeek(log, week);
      return { weeks: weeks.map(({ type, counts }) => ({ event: type, counts })), isPartial };
    },

    async listDeliveries(request, context) {
      const storeId = storeOf(context);
      const countMax = pageSize(request.limit);
      const query = await deliverySelection(lookup, storeId, request);
      if (query === undefined) return { deliveries: [] };
      const { entries, next } = await readLogPage(log, query, countMax);
      return {
        deliveries: await withLabels(lookup, storeId, entries.map(deliveryMessage)),
        nextPageToken: tokenOf(next),
      };
    },
  });
}

function selectorOf(by: GetCertificateRequest["by"]): CertificateSelector {
  if (by.case === undefined) throw badRequest("by", "is missing: send a certificate_id or a serial");
  if (by.case === "certificateId") return { certificateId: by.value };
  const serial = parseSerial(by.value);
  if (serial === undefined) throw notFound("certificate");
  return { serial };
}
