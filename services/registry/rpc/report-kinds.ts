import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import type { ReportKind as Kind } from "../certificates/problem-report.ts";
import { enumNames } from "./enum-names.ts";

const names = enumNames(ReportKind);

/** Returns the kind of a reported problem; `other` if unset. @throws ServiceError `bad_request` for an unknown kind */
export function reportKindOf(kind: ReportKind): Kind {
  return names.nameOf(kind === ReportKind.UNSPECIFIED ? ReportKind.OTHER : kind, "kind");
}

/** Returns the enum value of a kind. */
export const reportKindValue = names.valueOf;
