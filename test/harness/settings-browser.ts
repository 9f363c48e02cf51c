import type { TestEdge } from "../../services/edge/testing/start-edge.ts";
import type { TestRegistry } from "./registry-fixture.ts";
import { signInLink } from "./settings-session.ts";

let networks = 0;
const newAddress = () => `10.${(++networks >> 8) % 256}.${networks % 256}.1`;

/** A merchant's browser with a session in the settings. */
export interface BrowserSession {
  readonly sessionToken: string;
  /** The CSRF token in the session's forms. */
  readonly formToken: string;
  get(path: string, signal?: AbortSignal): Promise<Response>;
  /** Opens a page as `get` does, without receiving it. */
  head(path: string): Promise<Response>;
  /** Sends a form; with a file, a multipart form that ends with the file. */
  post(path: string, fields: Readonly<Record<string, string>>, file?: File): Promise<Response>;
  /** Sends a form as `post` does. @throws Error if it is not accepted, with what its page says */
  save(...form: Parameters<BrowserSession["post"]>): Promise<Response>;
  /** Sends a form as `post` does, and opens the page to which the form of a mistake or a secret redirects. */
  submit(...form: Parameters<BrowserSession["post"]>): Promise<Response>;
  /** Returns the same browser with another session cookie. @param token if empty, no cookie is sent */
  withSession(token: string): BrowserSession;
  /** Returns the same browser on a page of another site. @param site the `Sec-Fetch-Site` header of its requests */
  fromSite(site: string): BrowserSession;
}

/** Signs in to a store's settings over HTTP. @param language the browser's language */
export async function openBrowserSession(
  { registry, edge }: { readonly registry: Pick<TestRegistry, "admin">; readonly edge: Pick<TestEdge, "port"> },
  storeId: string,
  language = "en",
): Promise<BrowserSession> {
  const { proof } = await signInLink(registry, storeId, "Ada");
  const origin = `http://127.0.0.1:${edge.port}/settings`;
  const signedIn = await fetch(`${origin}/sign-in/${proof.value}`, {
    method: "POST",
    // Attacks from this machine must not use up what its network may sign in.
    headers: { "X-Forwarded-For": newAddress() },
    body: new URLSearchParams(),
    redirect: "manual",
  });
  const [, sessionToken] = /^__Host-settings=([^;]+);/.exec(signedIn.headers.get("set-cookie") ?? "") ?? [];
  if (sessionToken === undefined) throw new Error(`the sign-in was answered with ${signedIn.status}`);
  const open = (token: string, formToken: string, site = "same-origin"): BrowserSession => {
    const headers = (kept = "") => ({
      "Accept-Language": language,
      // An edge that trusts this machine as a proxy counts each request for a different network, so the limits per
      // network are not reached.
      "X-Forwarded-For": newAddress(),
      "Sec-Fetch-Site": site,
      Cookie: [token && `__Host-settings=${token}`, kept].filter((cookie) => cookie !== "").join("; "),
    });
    const post: BrowserSession["post"] = (path, fields, file) =>
      fetch(origin + path, {
        method: "POST",
        headers: headers(),
        body: file === undefined ? new URLSearchParams(fields) : multipartForm(fields, file),
        redirect: "manual",
      });
    const submit: BrowserSession["submit"] = async (...form) => {
      const response = await post(...form);
      const kept = keptFormIn(response);
      if (kept === undefined) return response;
      const page = new URL(response.headers.get("location") ?? "", origin);
      return fetch(page, { headers: headers(kept), redirect: "manual" });
    };
    return {
      sessionToken: token,
      formToken,
      get: (path, signal) => fetch(origin + path, { headers: headers(), redirect: "manual", signal: signal ?? null }),
      head: (path) => fetch(origin + path, { method: "HEAD", headers: headers(), redirect: "manual" }),
      post,
      save: async (...form) => {
        const response = await submit(...form);
        if (response.status === 303) return response;
        throw new Error(`the form was answered with ${response.status}: ${textOf(await response.text())}`);
      },
      submit,
      withSession: (other) => open(other, formToken, site),
      fromSite: (other) => open(token, formToken, other),
    };
  };
  const page = await (await open(sessionToken, "").get("/plan")).text();
  const [, formToken = ""] = /name="token" value="([^"]+)"/.exec(page) ?? [];
  return open(sessionToken, formToken);
}

/** Returns the cookie with the form that the page after a redirect shows; undefined if the response has none. */
export function keptFormIn(response: Response): string | undefined {
  return response.headers.getSetCookie().flatMap((cookie) => /^__Host-settings-form=[^;]+/.exec(cookie)?.[0] ?? [])[0];
}

/** Returns the words of a page's main part. */
function textOf(page: string): string {
  const [main = page] = /<main.*<\/main>/s.exec(page) ?? [];
  return main
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function multipartForm(fields: Readonly<Record<string, string>>, file: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file);
  return form;
}
