import type { Certificate } from "../certificates/certificate.ts";
import type { Change } from "../certificates/ledger.ts";
import type { Refusal } from "../certificates/refusal.ts";
import { erasedPerson, type PersonTexts } from "./person-texts.ts";

/**
 * Creates the change that replaces a person's data on certificates with placeholders. A changed certificate gets a new
 * `updatedAt`, so that clients of the list replace their copies, but no event is published. A certificate that does
 * not mention the person does not change.
 *
 * @returns a change whose result is the number of changed certificates
 */
export function eraseCertificates(certificateIds: readonly string[], person: PersonTexts): Change<number | Refusal> {
  return {
    needs: { certificateIds },
    maxTimestamps: certificateIds.length,
    maxSerials: 0,
    decide: (draft) => {
      let changedCount = 0;
      for (const id of certificateIds) {
        const certificate = draft.certificate(id);
        if (certificate === undefined) continue;
        const fields = erasedFields(certificate, person);
        if (fields === undefined) continue;
        draft.updateWithoutEvent({ ...certificate, ...fields, updatedAt: draft.nextTimestamp() });
        changedCount++;
      }
      return changedCount;
    },
  };
}

/**
 * The change that counts an erasure once it has rewritten the messages from the store's platform: a storefront worker
 * that began before issues nothing afterwards. Like every change, it waits for a transaction in progress, so that the
 * search that follows finds the certificates of one that began before.
 *
 * Its result is the store's number of erasures.
 */
export const countErasure: Change<number | Refusal> = {
  needs: {},
  maxTimestamps: 0,
  maxSerials: 0,
  decide: (draft) => draft.countErasure(),
};

/** The parts of a certificate that can contain personal data. */
export type PersonalFields = Pick<Certificate, "owner" | "originalBuyer" | "revokedReason">;

/** Returns the changed fields of a certificate; undefined if the certificate does not mention the person. */
export function erasedFields(
  { owner, originalBuyer, revokedReason }: PersonalFields,
  person: PersonTexts,
): Partial<PersonalFields> | undefined {
  const fields = {
    ...(person.isPerson(owner) && { owner: erasedPerson }),
    ...(person.isPerson(originalBuyer) && { originalBuyer: erasedPerson }),
    ...(revokedReason !== null &&
      person.isMentionedIn(revokedReason) && { revokedReason: person.eraseFrom(revokedReason) }),
  };
  return Object.keys(fields).length === 0 ? undefined : fields;
}
