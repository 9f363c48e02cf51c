import { systemClock } from "#shared/time/clock.ts";

/**
 * Sends a request. If the service is busy, sends it once more after the time in Retry-After, as clients do
 * (INTERFACE.md §7): the commands of the database have time limits that a pause of the machine exceeds.
 */
export async function sendPatiently(
  send: () => Promise<Response>,
  isBusy: (response: Response) => boolean,
): Promise<Response> {
  const response = await send();
  const seconds = Number(response.headers.get("retry-after"));
  if (!isBusy(response) || !(seconds > 0)) return response;
  await response.arrayBuffer();
  await systemClock.sleep(1_000 * seconds);
  return send();
}
