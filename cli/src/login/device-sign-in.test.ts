import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { Output } from "../output.ts";
import { signInByDevice } from "./device-sign-in.ts";

const tokens = { access_token: "at_x", refresh_token: "rt_x", expires_in: 3_600 };
const pending = { status: 400, body: { error: "authorization_pending" } };

/** Signs in at a service that gives these answers in turn, repeating the last one. */
async function signIn(
  answers: readonly ({ status: number; body: object } | "cut")[],
  codes: object = {},
) {
  let polls = 0;
  const server = createServer((request, reply) => {
    if (request.url === "/device") {
      const { port } = server.address() as AddressInfo;
      const made = {
        device_code: "dc_x",
        user_code: "BBBB-CCCC",
        verification_uri: `http://h:${port}`,
      };
      return reply.end(JSON.stringify({ ...made, expires_in: 20, interval: 0.002, ...codes }));
    }
    const answer = answers[Math.min(polls++, answers.length - 1)];
    if (answer === "cut" || answer === undefined) return reply.destroy();
    return reply.writeHead(answer.status).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [out, shown] = [new PassThrough(), new PassThrough()];
  const stream = (pass: PassThrough) => pass as unknown as NodeJS.WriteStream;
  const ending = signInByDevice(
    {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      device_authorization_endpoint: `${base}/device`,
      revocation_endpoint: `${base}/revoke`,
    },
    new Output(false, stream(out), stream(shown)),
  );
  const [ended] = await Promise.allSettled([ending]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { ended, polls, shown: String(shown.read()) };
}

test("a service that is away for a while is asked again", async () => {
  const { ended, polls } = await signIn([
    pending,
    "cut",
    { status: 503, body: { error: "temporarily_unavailable" } },
    { status: 429, body: {} },
    { status: 502, body: {} },
    pending,
    { status: 200, body: tokens },
  ]);
  assert.equal(ended.status, "fulfilled");
  assert.equal(polls, 7);
});

test("what is final is not asked again; a service that stays away is named at the end", async () => {
  const denied = await signIn([{ status: 400, body: { error: "access_denied" } }]);
  assert.match(String((denied.ended as PromiseRejectedResult).reason), /denied/);
  assert.equal(denied.polls, 1);
  const unknown = await signIn([{ status: 400, body: { error: "invalid_grant" } }]);
  assert.equal(unknown.polls, 1);
  const away = await signIn(["cut"], { expires_in: 0.1 });
  assert.match(String((away.ended as PromiseRejectedResult).reason), /cannot reach/);
  const late = await signIn([pending], { expires_in: 0.1 });
  assert.match(String((late.ended as PromiseRejectedResult).reason), /not entered in time/);
});

test("nothing of the service's words is a command to the terminal", async () => {
  const { shown } = await signIn([{ status: 200, body: tokens }], {
    user_code: "BB\u001b[31mBB\u202e-\u0007CC\u009bCC",
    verification_uri: "http://h/\u001b]0;title\u0007device\n",
  });
  assert.match(shown, /BB\[31mBB-CCCC/);
  assert.match(shown, /http:\/\/h\/\]0;titledevice\n/);
  assert.doesNotMatch(shown.replaceAll("\n", ""), /\p{C}/u);
});

test("a reply without its fields is refused", async () => {
  const { ended, polls } = await signIn([pending], { user_code: 5 });
  assert.match(String((ended as PromiseRejectedResult).reason), /incomplete/);
  assert.equal(polls, 0);
});
