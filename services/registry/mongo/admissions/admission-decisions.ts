import { windowInGroup } from "../../admissions/admission.ts";
import type { StoreSettings } from "../../values/store.ts";
import type { AccessDocument } from "../documents/access-documents.ts";
import type { WindowView } from "./window-reader.ts";

/** The decision on one request, as the database made it. */
export type Decision =
  | (WindowView & {
      readonly isAdmitted: boolean;
      readonly settings: StoreSettings;
      readonly epoch: string;
    })
  | KeyRefusal;

/** Why a key is refused, regardless of the plan and the rate limit. */
export type KeyRefusal = "revoked_or_expired" | "unknown";

/**
 * A store's document after the update that admits or refuses requests. If a response is lost and the driver repeats the
 * update, MongoDB returns the whole document: it does not apply the projection.
 */
export type DecidedDocument = Pick<AccessDocument, "_id" | "settings" | "epoch" | "decision"> &
  Partial<Pick<WindowView, "count" | "oldest">> &
  Partial<Pick<AccessDocument, "admitted">>;

/**
 * Returns the decisions on a group of requests, in order.
 *
 * @param document null if no store owns the group's key
 */
export function decisionsOn(groupSize: number, document: DecidedDocument | null): Decision[] {
  return Array.from({ length: groupSize }, (_, position) => decisionAt(document, position));
}

function decisionAt(document: DecidedDocument | null, position: number): Decision {
  if (document === null) return "unknown";
  const { _id, settings, epoch, decision } = document;
  const { admitted = [], count = admitted.flatMap(({ ids }) => ids).length, oldest = admitted[0]?.at } = document;
  if (decision === null) throw new Error("the update wrote no decision");
  const { keyIsValid, plan, admitted: isAdmitted } = decision.group;
  if (!keyIsValid) return "revoked_or_expired";
  const window = windowInGroup({ at: decision.at, count, oldest }, isAdmitted, position);
  return { _id, plan, settings, epoch, ...window, isAdmitted: isAdmitted[position] === true };
}
