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
import type { LoadShedder } from "../load/load-shedder.ts";
import type { Admissions } from "../stores/admission.ts";
import { KeyOwners } from "../stores/key-owners.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { enumNames } from "./enum-names.ts";

const maxLimit = 100;
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

interface EdgeServiceDeps extends ListDeps {
  readonly admissions: Admissions;
  /** Bounds admissions and pages in progress. */
  readonly load: LoadShedder;
}

/** Implements EdgeService: translates between its messages and the domain. */
export function edgeService(deps: EdgeServiceDeps): ServiceImpl<typeof EdgeService> {
  const owners = new KeyOwners();
  return {
    async admit({ keySha256 }, context) {
      if (keySha256.length !== hashBytes) throw badRequest("key_sha256", `must be ${hashBytes} bytes`);
      const limits = callLimitsOf(context);
      const request = { store: owners.ownerOf(keySha256), ...limits };
      const decision = await deps.load.run(request, () => deps.admissions.admit(keySha256, limits));
      if (decision.admission !== "unknown_key") owners.note(keySha256, decision.storeId);
      const { admission, ...state } = decision;
      return { ...state, admission: admissionNames.valueOf(admission) };
    },

    async listCertificates(request, context) {
      const { storeId, limit } = request;
      if (limit < 1 || limit > maxLimit) throw badRequest("limit", `must be 1 to ${maxLimit}`);
      const filter = filterOf(request);
      if (filter === undefined) return { certificates: [] };
      const limits = callLimitsOf(context);
      const page = await deps.load.run({ store: storeId, ...limits }, () =>
        listCertificates(deps, storeId, { filter, limit, limits }),
      );
      return {
        certificates: [...page.certificates],
        ...(page.next && { next: timestampFromDate(page.next) }),
      };
    },
  };
}

/** @returns undefined when no certificate can match */
function filterOf(request: ListCertificatesRequest): ListFilter | undefined {
  const { email, order, updatedSince, after } = request;
  const serial = request.serial === undefined ? undefined : parseSerial(request.serial);
  if (request.serial !== undefined && serial === undefined) return undefined;
  const status = request.status === StatusFilter.UNSPECIFIED ? undefined : statusNames.nameOf(request.status, "status");
  const changedAfter = latest([updatedSince, after].filter((time) => time !== undefined));
  return { email, order, serial, status, changedAfter };
}

function latest(times: readonly Timestamp[]): Date | undefined {
  return times.length === 0 ? undefined : new Date(Math.max(...times.map(wholeMs)));
}

// Rounds down rather than to the nearest millisecond, so that no change later in the same millisecond is skipped.
function wholeMs({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000);
}
