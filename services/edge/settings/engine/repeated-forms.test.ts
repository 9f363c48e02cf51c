import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Outcome } from "../model/settings-page.ts";
import { RepeatedForms } from "./repeated-forms.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

function start() {
  const forms = new RepeatedForms();
  let runs = 0;
  const run = async (): Promise<Outcome> => ({ path: `run ${++runs}` });
  const sessionForm = (form: string, sessionToken: string) => ({ sessionToken, form });
  return {
    send: (form: string, session = "session", action = run, hadEffect = false) =>
      forms.once(sessionForm(form, session), action, () => hadEffect),
    isBegun: (form: string, session = "session") => forms.isBegun(sessionForm(form, session)),
  };
}

test("a form that is sent again gets the first outcome, even while the action is still running", async () => {
  const { send } = start();
  const first = send("a");
  expect(await Promise.all([first, send("a")])).toEqual([{ path: "run 1" }, { path: "run 1" }]);
  expect(await send("a")).toEqual({ path: "run 1" });
});

test("another form takes effect, and so does the same form in another session", async () => {
  const { send } = start();
  await send("a");
  expect(await send("a", "other")).toEqual({ path: "run 2" });
  expect(await send("b")).toEqual({ path: "run 3" });
  // The merchant went back to the first form after sending the second.
  expect(await send("a")).toEqual({ path: "run 4" });
});

test("the outcome is kept for ten seconds after the action has ended", async () => {
  const { send } = start();
  await send("a");
  await vi.advanceTimersByTimeAsync(9_999);
  expect(await send("a")).toEqual({ path: "run 1" });
  await vi.advanceTimersByTimeAsync(1);
  expect(await send("a")).toEqual({ path: "run 2" });
});

test("a form sent again while its action fails shares the failure; a form sent again later takes effect", async () => {
  const { send } = start();
  const failing = () => Promise.reject(new Error("down"));
  const sent = [send("a", "session", failing), send("a")];
  for (const outcome of sent) await expect(outcome).rejects.toThrow("down");
  expect(await send("a")).toEqual({ path: "run 1" });
});

test("a form is begun once it runs, until another one is sent; one that failed without effect is not", async () => {
  const { send, isBegun } = start();
  const failing = () => Promise.reject(new Error("down"));
  const sent = send("a", "session", failing, true);
  expect([isBegun("a"), isBegun("b"), isBegun("a", "other")]).toEqual([true, false, false]);
  await expect(sent).rejects.toThrow("down");
  expect(isBegun("a")).toBe(true);
  await expect(send("b", "session", failing, false)).rejects.toThrow("down");
  expect([isBegun("a"), isBegun("b")]).toEqual([false, false]);
});

test("a form that failed and may have had an effect is carried out when it is sent again", async () => {
  const { send } = start();
  await expect(send("a", "session", () => Promise.reject(new Error("down")), true)).rejects.toThrow("down");
  expect(await send("a")).toEqual({ path: "run 1" });
});
