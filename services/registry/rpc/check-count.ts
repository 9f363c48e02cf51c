import { badRequest } from "#shared/errors/service-error.ts";

/** @throws ServiceError `bad_request` naming the field when a list is empty or longer than allowed */
export function checkCount(field: string, count: number, countMax: number): void {
  if (count < 1 || count > countMax) throw badRequest(field, `are not 1 to ${countMax}`);
}
