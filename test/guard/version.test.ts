import { expect, test } from "vitest";
import { parse } from "yaml";
import { productVersion } from "#shared/lifecycle/product-version.ts";
import { textOf } from "./repository.ts";

const { packages } = JSON.parse(textOf("package-lock.json"));

test.each([
  ["the chart", parse(textOf("charts/certificate-registry/Chart.yaml")).version],
  ["the services of the chart", parse(textOf("charts/certificate-registry/Chart.yaml")).appVersion],
  ["package-lock.json", packages[""].version],
  ["the Python client library", /^version = "(.+)"$/m.exec(textOf("services/client-python/pyproject.toml"))?.[1]],
])("%s has the version of package.json", (_name, version) => {
  expect(version).toBe(productVersion);
});

test.each(["deploy/compose.yaml", "test/containers/compose.story.yaml", ".github/workflows/ci.yml"])(
  "%s uses images with the version of package.json",
  (file) => {
    const tags = [...textOf(file).matchAll(/certificate-registry\/\$?\w+:([\w.]+)/g)].map(([, tag]) => tag);
    expect(new Set(tags)).toEqual(new Set([productVersion]));
  },
);
