import { CommandError } from "../command.ts";
import type { Output } from "../output.ts";
import { fetchDeviceCodes, fetchTokens, OauthError } from "./authorization-server.ts";
import type { AuthorizationServer, Tokens } from "./authorization-server.ts";

const grantType = "urn:ietf:params:oauth:grant-type:device_code";
/** RFC 8628 3.5. */
const slowDownMs = 5_000;

/** For a machine without a browser (RFC 8628): the person enters a code on another one, and this one asks until they have. */
export async function signInByDevice(server: AuthorizationServer, output: Output): Promise<Tokens> {
  const codes = await fetchDeviceCodes(server);
  const { verification_uri: page, user_code: userCode, device_code: deviceCode } = codes;
  if (output.json) output.line(JSON.stringify({ verificationUri: page, userCode }));
  output.note(`On any machine, open\n\n    ${page}\n\nand enter the code\n\n    ${userCode}\n`);
  output.note("Waiting for your answer there ...");
  const endMs = performance.now() + codes.expires_in * 1_000;
  let intervalMs = codes.interval * 1_000;
  while (performance.now() < endMs) {
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
    try {
      return await fetchTokens(server.token_endpoint, {
        grant_type: grantType,
        device_code: deviceCode,
      });
    } catch (error) {
      if (!(error instanceof OauthError)) throw error;
      if (error.code === "access_denied") throw new CommandError("the sign-in was denied");
      if (error.code === "expired_token") break;
      if (error.code === "slow_down") intervalMs += slowDownMs;
      else if (error.code !== "authorization_pending") throw error;
    }
  }
  throw new CommandError("the code was not entered in time; run lossless login again");
}
