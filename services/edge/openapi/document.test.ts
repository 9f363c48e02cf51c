import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { errorCodes } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { systemClock } from "#shared/time/clock.ts";
import { routes } from "../app.ts";
import { listPath } from "../certificates/list-certificates.ts";
import { parameterNames, parseListQuery } from "../certificates/list-query.ts";
import { KeyGuard } from "../limits/key-guard.ts";
import { createKeyLookup } from "../limits/look-up-key.ts";
import { connectClients } from "../registry-client/connect-clients.ts";
import { openApiDocument } from "./document.ts";
import { apiErrors, errorComponents } from "./error-responses.ts";
import { listParameters } from "./list-parameters.ts";

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

const schemaOf = (name: string) => (listParameters[name] as { schema: object }).schema;

function isAccepted(name: string, value: string): boolean {
  try {
    parseListQuery(`${name}=${encodeURIComponent(value)}`);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.field === name) return false;
    throw error;
  }
}

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(JSON.stringify(openApiDocument)));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  test("references only existing components, and every component except the 405 response", () => {
    const text = JSON.stringify(openApiDocument);
    const referred = new Set(
      [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(([, section, name]) => `${section} ${name}`),
    );
    const { securitySchemes: _schemes, ...components } = openApiDocument.components as Record<string, object>;
    const existing = Object.entries(components).flatMap(([section, members]) =>
      Object.keys(members).map((name) => `${section} ${name}`),
    );
    // No operation references this response: it answers unsupported methods.
    const unreferenced = ["responses Error405"];
    expect([...referred, ...unreferenced].sort()).toEqual(existing.sort());
  });

  test("describes every path of the edge except pages and platform webhooks", () => {
    const metrics = new Registry();
    const { clients, close } = connectClients({ address: "127.0.0.1:1", timeoutMs: 1 });
    const router = routes({
      ...clients,
      lookUp: createKeyLookup({ keyGuard: new KeyGuard(systemClock), metrics }),
      isStopping: () => false,
      platformSecrets: { shopify: [Buffer.alloc(32)] },
      settingsFrameAncestors: [],
      formKeys: [Buffer.alloc(32)],
      pageLookupsMax: 1,
      pagesPerSecondMax: 1,
      clock: systemClock,
      wallClock: systemClock,
      metrics,
    });
    close();
    const paths = [listPath, `${listPath}/{id}`, ...new Set(router.stack.map(({ path }) => String(path)))];
    const pagePaths = paths.filter((path) =>
      /^\/($|(docs|docs\.md|llms\.txt|verify|settings|storefront)(\/|$))/.test(path),
    );
    expect(paths.filter((path) => !pagePaths.includes(path)).sort()).toEqual(
      Object.keys(openApiDocument.paths as object).sort(),
    );
    expect(pagePaths).toContain("/docs");
    expect(pagePaths).toContain("/storefront/shopify/webhooks");
    expect(pagePaths).toContain("/verify/:link");
    expect(pagePaths).toContain("/settings/sign-in/:secret");
  });

  test("describes every error code of the public API", () => {
    // Only operations outside the public API return these errors.
    const internalOnly = ["failed_precondition", "conflict"];
    const codes = Object.keys(errorCodes).filter((code) => !internalOnly.includes(code));
    expect([...new Set(apiErrors.map(({ code }) => code))].sort()).toEqual(codes.sort());
  });

  test("has one schema for all errors, without keywords that generated clients cannot merge", () => {
    for (const { status, code } of apiErrors)
      expect(errorComponents[`Error${status}`], String(status)).toMatchObject({
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Error" },
            examples: { [code]: { value: { error: code } } },
          },
        },
      });
  });
});

describe("the query parameters of the certificate list", () => {
  test("are exactly those that the parser accepts", () => {
    expect(Object.keys(listParameters)).toEqual([...parameterNames]);
  });

  test("have examples and defaults that the parser accepts", () => {
    for (const name of parameterNames) {
      const schema: { examples?: readonly string[]; default?: unknown } = schemaOf(name);
      const values = [...(schema.examples ?? [])];
      if (schema.default !== undefined) values.push(String(schema.default));
      for (const value of values) expect(isAccepted(name, value), `${name}=${value}`).toBe(true);
    }
  });

  test("have the same defaults as the parser", () => {
    const { filters, limit: size } = parseListQuery("limit=50&status=all");
    expect(parseListQuery("")).toMatchObject({ filters, limit: size });
    expect(schemaOf("limit")).toMatchObject({ default: 50 });
    expect(listParameters.status).toMatchObject({ description: expect.stringContaining("Default: `all`") });
  });

  test("have no default for a filter, because generated clients would send it beside the cursor of another query", () => {
    const withDefault = parameterNames.filter((name) => "default" in schemaOf(name));
    expect(withDefault).toEqual(["limit"]);
  });

  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 24 });
  const text = fc.oneof(
    digits,
    fc.string({ minLength: 1, maxLength: 70 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 70 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 10 }).filter((value) => value.isWellFormed()),
    fc.constantFrom("active", "ACTIVE", "all", "expired ", "#", "#1", "1e3", "٣", "+1", "0x1", "-1"),
  );
  const words = fc.oneof(
    text,
    text.map((value) => `#${value}`),
  );

  test.each(["order", "serial", "status"])("allow exactly the values of %s that the parser accepts", (name) => {
    const validate = ajv.compile(schemaOf(name));
    fc.assert(
      fc.property(words, (value) => isAccepted(name, value) === validate(value)),
      { numRuns: 2_000 },
    );
  });

  test("allow exactly the values of limit that the parser accepts", () => {
    const validate = ajv.compile(schemaOf("limit"));
    fc.assert(
      fc.property(
        fc.integer({ min: -20, max: 200 }),
        (limit) => isAccepted("limit", String(limit)) === validate(limit),
      ),
      { numRuns: 500 },
    );
  });

  test("allow no email address that the parser rejects", () => {
    const validate = ajv.compile(schemaOf("email"));
    fc.assert(fc.property(fc.emailAddress(), (email) => !validate(email) || isAccepted("email", email)));
  });

  test("allow exactly the values of updated_since that the parser accepts", () => {
    const validate = ajv.compile(schemaOf("updated_since"));
    const two = (max: number) => fc.nat({ max }).map((number) => String(number).padStart(2, "0"));
    const zone = fc.oneof(
      fc.constantFrom("Z", "z", "", "+24:00"),
      fc
        .tuple(fc.constantFrom("+", "-"), two(25), fc.constantFrom(":", "", " "), two(61))
        .map((parts) => parts.join("")),
    );
    const fraction = fc.constantFrom("", ".1", ".123456789", ".");
    const year = fc
      .oneof(fc.nat({ max: 400 }), fc.nat({ max: 9_999 }))
      .map((number) => String(number).padStart(4, "0"));
    const day = fc.tuple(year, two(13), two(32)).map((parts) => parts.join("-"));
    const clock = fc.oneof(fc.tuple(two(25), two(60), two(61)), fc.tuple(two(25), two(60)));
    const parts = [day, fc.constantFrom("T", "t", " "), clock.map((numbers) => numbers.join(":")), fraction, zone];
    // An offset can move a time on the first or last day out of the accepted range.
    const time = fc
      .tuple(...parts)
      .map((texts) => texts.join(""))
      .filter((text) => !/^(0001-01-01|9999-12-31)/.test(text));
    const leapDays = ["0000", "0004", "0100", "0400", "1900", "2000", "2024", "2026"].map(
      (one) => `${one}-02-29T00:00Z`,
    );
    const edgeCases = ["2016-12-31T23:59:60Z", "2016-12-31T24:02:00+00:03", "2016-12-31 23:59:59Z", ...leapDays];
    fc.assert(
      fc.property(time, (value) => isAccepted("updated_since", value) === validate(value)),
      { numRuns: 2_000, examples: edgeCases.map((value) => [value]) },
    );
  });
});
