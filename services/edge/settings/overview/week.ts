import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { CountWeekResponse } from "#gen/registry/v1/inspection_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { eventName } from "#shared/events/event-name.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import type { Language } from "#shared/texts/languages.ts";
import { dayMs } from "#shared/time/day.ts";
import { colonOf, commaOf, formatNumber, perLanguage } from "../../pages/format.ts";
import { type Html, html } from "../../pages/html.ts";
import { link } from "../components/content.ts";
import type { Visit } from "../model/settings-page.ts";
import { eventWord } from "../words/names.ts";

const shownEvents = [EventType.ISSUED, EventType.VERIFIED, EventType.TRANSFERRED, EventType.REPORTED];
// The count to which the registry counts the days of the busiest stores; see CountWeekResponse.is_partial.
const dailyMax = 1_000;
// The registry reads a bounded part of an index. Where that is slow, as with the stand-ins of `npm start`, which may
// read all messages, a merchant must not wait for it on every visit.
const countMsMax = 1_500;
// The size of the bars, in units of the picture.
const [barWidth, barGap, barHeight] = [8, 2, 24];
const weekdayFormat = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" }),
);

/**
 * Counts the events of today and the six days before, in UTC. Returns the error if that fails: the page shows what
 * matters more.
 */
export async function countedWeek({ registry, now }: Visit): Promise<CountWeekResponse | ServiceError> {
  const since = timestampFromMs(firstDayOf(now));
  try {
    return await registry.inspection.countWeek({ since, events: shownEvents }, { timeoutMs: countMsMax });
  } catch (thrown) {
    return toServiceError(thrown);
  }
}

/** Renders the number of events of each kind in a row, with a bar for each day. */
export function weekRow({ language, text, now }: Visit, week: CountWeekResponse | ServiceError): Html | undefined {
  if (week instanceof ServiceError || week.weeks.length === 0) return undefined;
  const options = { firstDay: firstDayOf(now), countMax: week.isPartial ? dailyMax : undefined, language };
  return html`<section class="panel week" aria-labelledby="week"><h2 id="week">${text("settings.overview.week")}</h2>
<ul>${week.weeks.map(({ event, counts }) => tile(event, counts, options))}</ul></section>`;
}

interface TileOptions {
  readonly firstDay: number;
  /** The count that means this or more; undefined if all counts are exact. */
  readonly countMax: number | undefined;
  readonly language: Language;
}

function tile(event: EventType, counts: readonly number[], options: TileOptions): Html {
  const { countMax, language } = options;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const isAtLeast = countMax !== undefined && counts.includes(countMax);
  const number = shownNumber(total, isAtLeast, language);
  return html`<li>${link(`/deliveries?event=${eventName(event)}`, eventWord(event, language))}<span class="number">${number}</span>${bars(counts, options)}</li>`;
}

function shownNumber(number: number, isAtLeast: boolean, language: Language): string {
  return `${formatNumber(number, language)}${isAtLeast ? "+" : ""}`;
}

/** Renders the bars; their text names each day and its number. */
function bars(counts: readonly number[], { firstDay, countMax, language }: TileOptions): Html {
  const most = Math.max(1, ...counts);
  const weekday = weekdayFormat(language);
  const words = counts.map((count, day) => {
    const number = shownNumber(count, count === countMax, language);
    return `${weekday.format(firstDay + day * dayMs)}${colonOf(language)}${number}`;
  });
  return html`<svg role="img" aria-label="${words.join(commaOf(language))}" viewBox="0 0 ${counts.length * (barWidth + barGap) - barGap} ${barHeight}">${counts.map(
    (count, day) => {
      // A day without events has a line, so that all days can be seen.
      const height = count === 0 ? 1 : Math.max(2, Math.round((count / most) * barHeight));
      return html`<rect x="${day * (barWidth + barGap)}" y="${barHeight - height}" width="${barWidth}" height="${height}"/>`;
    },
  )}</svg>`;
}

function firstDayOf(now: Date): number {
  return Math.floor(now.getTime() / dayMs) * dayMs - 6 * dayMs;
}
