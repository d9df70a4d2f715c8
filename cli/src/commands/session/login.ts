import { isReadableOnTheWay, plainHttpNotice } from "@lossless/client";
import {
  type Command,
  CommandError,
  type Invocation,
  noPositionals,
  UsageError,
} from "../../command.ts";
import {
  type AuthorizationServer,
  discover,
  revoke,
  type Tokens,
} from "../../login/authorization-server.ts";
import { browserOpener } from "../../login/browser.ts";
import { serviceUrl } from "../../login/credential.ts";
import { signInByDevice } from "../../login/device-sign-in.ts";
import {
  type Login,
  loginFilePath,
  noHome,
  readLogin,
  writeLogin,
} from "../../login/login-file.ts";
import { signInByBrowser } from "../../login/loopback-sign-in.ts";
import { printable } from "../../output.ts";
import { chooseOrganization, organizationsOf } from "../../login/organization-choice.ts";

export const login: Command = {
  usage: "login [--url U] [--device] [--organization O]",
  help: `
Signs this machine in: all later commands act for you, until lossless logout. It opens a browser. Without a browser
(over SSH, without a display) it shows a code to enter in a browser on another machine.

  --url U            address of the service (LOSSLESS_URL; where you signed in last; http://127.0.0.1:7070)
  --device           show a code even if there is a browser
  --organization O   the organization to act for, by name or id; needed if you belong to several`,
  options: {
    url: { type: "string" },
    device: { type: "boolean" },
    organization: { type: "string" },
  },
  async run(invocation) {
    noPositionals(invocation);
    const { values, environment, output } = invocation;
    const path = loginFilePath(environment);
    if (path === undefined) throw new UsageError(`the sign-in cannot be stored: ${noHome}`);
    const previous = previousLogin(path);
    const url = serviceUrl(invocation, previous);
    if (isReadableOnTheWay(url)) output.warning(`warning: ${printable(plainHttpNotice(url))}`);
    const server = await discover(url);
    const opener = values.flag("device") ? undefined : browserOpener(environment);
    const tokens =
      opener === undefined
        ? await signInByDevice(server, output)
        : await signInByBrowser(server, opener, output);
    const signedIn = await kept(invocation, server, tokens, path);
    if (previous?.url === url) await leave(server, previous);
    const { organization } = signedIn;
    if ((environment["LOSSLESS_API_KEY"] ?? "") !== "") {
      output.note(
        "LOSSLESS_API_KEY is set and overrides this sign-in: unset it to act as yourself.",
      );
    }
    output.answer({ url, organization }, () =>
      organization === null
        ? `Signed in at ${url}.`
        : `Signed in at ${url} for ${organization.name}.`,
    );
  },
};

/** The earlier sign-in; an unreadable file counts as none, as it is about to be replaced. */
function previousLogin(path: string): Login | undefined {
  try {
    return readLogin(path);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

/** Keeps the sign-in, or revokes it at the service when it cannot be used. */
async function kept(
  { values, output }: Invocation,
  server: AuthorizationServer,
  tokens: Tokens,
  path: string,
): Promise<Login> {
  try {
    const organizations = await organizationsOf(server.issuer, tokens.accessToken);
    const wanted = values.text("organization");
    const organization = await chooseOrganization(organizations, wanted, output);
    const signedIn = { url: server.issuer, ...tokens, organization };
    await writeLogin(path, signedIn);
    return signedIn;
  } catch (error) {
    await leave(server, tokens);
    throw error;
  }
}

/** Revokes a sign-in if possible: unused, it expires. */
async function leave(server: AuthorizationServer, { refreshToken }: Tokens): Promise<void> {
  try {
    await revoke(server, refreshToken);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
  }
}
