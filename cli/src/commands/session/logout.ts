import { rm } from "node:fs/promises";
import { type Command, CommandError, noPositionals } from "../../command.ts";
import { discover, revoke } from "../../login/authorization-server.ts";
import { loginFilePath, readLogin } from "../../login/login-file.ts";
import { lockLogin } from "../../login/login-lock.ts";

export const logout: Command = {
  usage: "logout",
  help: `
Ends the sign-in of this machine, on the service and locally.`,
  options: {},
  async run(invocation) {
    noPositionals(invocation);
    const { environment, output } = invocation;
    const path = loginFilePath(environment);
    if (path === undefined || readLogin(path) === undefined) {
      output.answer({ signedOut: false }, () => "This machine is not signed in.");
      return;
    }
    // Locked against a command that renews the tokens, which would write the file anew.
    await using _ = await lockLogin(path);
    const login = readLogin(path);
    let problem: string | undefined;
    if (login !== undefined) {
      try {
        await revoke(await discover(login.url), login.refreshToken);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        problem = error.message;
      }
    }
    await rm(path, { force: true });
    if (problem !== undefined) {
      throw new CommandError(
        `the sign-in is removed from this machine, but the service was not reached: ${problem}`,
      );
    }
    output.answer({ signedOut: true }, () => `Signed out at ${login?.url}.`);
  },
};
