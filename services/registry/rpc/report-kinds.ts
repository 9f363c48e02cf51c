import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import type { ReportKind as Kind } from "../certificates/problem-report.ts";
import { enumNames } from "./enum-names.ts";

const names = enumNames<ReportKind, Kind>({
  counterfeit: ReportKind.COUNTERFEIT,
  mismatch: ReportKind.MISMATCH,
  stolen: ReportKind.STOLEN,
  wrong_details: ReportKind.WRONG_DETAILS,
  other: ReportKind.OTHER,
});

/** Returns the kind of a reported problem; `other` if unset. @throws ServiceError `bad_request` for an unknown kind */
export function reportKindOf(kind: ReportKind): Kind {
  return names.nameOf(kind === ReportKind.UNSPECIFIED ? ReportKind.OTHER : kind, "kind");
}

/** Returns the enum value of a kind. */
export const reportKindValue = names.valueOf;
