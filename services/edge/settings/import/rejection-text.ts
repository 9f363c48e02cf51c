import type { RejectedLine } from "#gen/settings/v1/import_settings_service_pb.js";
import { importProblemText } from "#shared/orders/import-tally.ts";
import { reason } from "#shared/reasons/reason.ts";
import { receivedReason } from "#shared/rpc/reason-messages.ts";
import type { Language } from "#shared/texts/languages.ts";

export function rejectionText(line: RejectedLine, language: Language): string {
  const why = receivedReason(line.reason) ?? reason("issue_refused");
  return importProblemText({ reason: why, firstUnit: line.firstUnit }, language);
}
