import { z } from "zod";

/** An id: a number or, above Number.MAX_SAFE_INTEGER, a string of digits (see parse-object.ts). */
export const id = z.union([z.int().positive(), z.string().regex(/^\d{1,20}$/)]).transform(String);

/** An id; the empty string if it is missing or null. */
export const optionalId = id.nullish().transform((value) => value ?? "");

/** A time with an offset, such as 2026-01-31T19:00:00-05:00. */
export const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** One line of text, cut to `charactersMax` UTF-16 code units; the empty string if it is missing or null. */
export const text = (charactersMax: number) =>
  z
    .string()
    .nullish()
    .transform((value) => {
      const oneLine = (value ?? "").replaceAll(/\p{Cc}+/gu, " ").trim();
      return oneLine.slice(0, charactersMax).toWellFormed();
    });

/** The number of units in an order line or a refund. */
export const quantity = z.int().min(0).max(1_000_000);
