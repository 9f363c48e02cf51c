import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  Admission,
  type EdgeService,
  type ListCertificatesRequest,
  StatusFilter,
} from "#gen/registry/v1/edge_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { type ListDeps, type ListFilter, listCertificates } from "../certificates/list-certificates.ts";
import { parseSerial } from "../certificates/serial.ts";
import type { Admissions } from "../stores/admission.ts";
import { enumNames } from "./enum-names.ts";

const limitMax = 100;
const hashBytes = 32;

const admissionNames = enumNames({
  admitted: Admission.ADMITTED,
  unknown_key: Admission.UNKNOWN_KEY,
  plan_required: Admission.PLAN_REQUIRED,
  rate_limited: Admission.RATE_LIMITED,
});

const statusNames = enumNames({
  active: StatusFilter.ACTIVE,
  revoked: StatusFilter.REVOKED,
  expired: StatusFilter.EXPIRED,
});

/** EdgeService over the domain. */
export function edgeService(deps: ListDeps & { admissions: Admissions }): ServiceImpl<typeof EdgeService> {
  return {
    async admit(request) {
      if (request.keySha256.length !== hashBytes) throw badRequest("key_sha256", `is not ${hashBytes} bytes`);
      const decision = await deps.admissions.admit(request.keySha256);
      return {
        admission: admissionNames.valueOf(decision.admission),
        ...("storeId" in decision ? { storeId: decision.storeId } : {}),
        ...("rateLimit" in decision ? { rateLimit: decision.rateLimit } : {}),
      };
    },

    async listCertificates(request) {
      if (request.limit < 1 || request.limit > limitMax) throw badRequest("limit", `is not 1 to ${limitMax}`);
      const filter = filterOf(request);
      if (filter === undefined) return { certificates: [] };
      const page = await listCertificates(deps, request.storeId, { filter, limit: request.limit });
      return {
        certificates: [...page.certificates],
        ...(page.next === undefined ? {} : { next: timestampFromDate(page.next) }),
      };
    },
  };
}

/** @returns undefined when no certificate can match */
function filterOf(request: ListCertificatesRequest): ListFilter | undefined {
  const serial = request.serial === undefined ? undefined : parseSerial(request.serial);
  if (request.serial !== undefined && serial === undefined) return undefined;
  const changedAfter = changedAfterOf(request);
  return {
    ...(request.email === undefined ? {} : { email: request.email }),
    ...(request.order.case === "orderName" ? { orderName: request.order.value } : {}),
    ...(request.order.case === "orderId" ? { orderId: request.order.value } : {}),
    ...(serial === undefined ? {} : { serial }),
    ...(request.status === StatusFilter.UNSPECIFIED
      ? {}
      : { status: statusNames.nameOf(request.status, "status") }),
    ...(changedAfter === undefined ? {} : { changedAfter }),
  };
}

function changedAfterOf({ updatedSince, after }: ListCertificatesRequest): Date | undefined {
  const times = [updatedSince, after].flatMap((time) => (time === undefined ? [] : [wholeMs(time)]));
  return times.length === 0 ? undefined : new Date(Math.max(...times));
}

// Rounded down, not to the nearest: a change in the rest of the millisecond must not be left out.
function wholeMs({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000);
}
