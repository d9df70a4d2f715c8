import { endpoints } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import type { AskingDevice } from "../../accounts/rows/oauth/user-code-entry.ts";
import { type Storage, writeOne } from "../../storage/storage.ts";
import { consentBody } from "./consent.ts";
import { readForm } from "./form.ts";
import type { HttpContext } from "../http-context.ts";
import { openServed } from "../callers/caller.ts";
import type { Route } from "../route.ts";
import { html } from "./html.ts";
import { signInAddress } from "./next-address.ts";
import { alert, type Page, sendOn, sendPage } from "./page.ts";
import { csrfField, personLine } from "./person-line.ts";
import {
  organizationNames,
  requireOwnForm,
  requireOwnOrigin,
  signedInPerson,
  type SignedInPerson,
} from "./signed-in.ts";

const { path } = endpoints.devicePage;

/**
 * `GET /device` asks for the code, never filled in: the person who types it has the device before
 * them.
 */
export const devicePage: Route = async (context, request, reply) => {
  const person = await signedInPerson(context, request);
  if (person === undefined) return sendOn(reply, signInAddress(path));
  sendPage(reply, codePage(person, undefined));
};

/** `POST /device`: first the code, then the answer to what the device asks. */
export const approveDevice: Route = async (context, request, reply) => {
  requireOwnOrigin(context, request);
  const form = await readForm(context, request);
  const person = await signedInPerson(context, request);
  if (person === undefined) return sendOn(reply, signInAddress(path));
  requireOwnForm(person, form);
  const { storage } = openServed(request);
  const { user_code: userCode = "", answer } = form;
  const entering = { personId: person.personId, userCode, address: request.ip };
  if (answer === undefined) {
    const { device, triesLeft } = await enterCode(context, storage, entering);
    if (device !== undefined) {
      const organizations = await organizationNames(person, storage);
      return sendPage(reply, confirmPage(person, device, organizations));
    }
    return sendPage(reply, codePage(person, wrongCode(triesLeft)), { status: 400 });
  }
  if (answer !== "allow" && answer !== "deny") {
    throw new ServiceError("bad_request", "The answer must be allow or deny.");
  }
  const allow = answer === "allow";
  const input = { ...entering, sessionHash: person.sessionHash, allow };
  const isAnswered = await writeOne(storage, "oauth.answerDevice", input);
  if (!isAnswered) return sendPage(reply, codePage(person, overSentence), { status: 400 });
  sendPage(reply, donePage(person, allow));
};

/** Takes a code. Wrong codes count for the person, in the storage, and for the sender's address. */
async function enterCode(
  { callers: { userCodes } }: HttpContext,
  storage: Storage,
  entering: { personId: string; userCode: string; address: string },
) {
  userCodes.take(entering.address);
  const entered = await writeOne(storage, "oauth.enterUserCode", entering);
  if (entered.device !== undefined) userCodes.giveBack(entering.address);
  return entered;
}

const overSentence = "That code has been answered or has expired. Start again on the device.";

function wrongCode(triesLeft: number): string {
  if (triesLeft === 0) {
    return "No device is waiting with this code, and that was the last try. Wait ten minutes, then start again on the device.";
  }
  const tries = triesLeft === 1 ? "One try is" : `${triesLeft} tries are`;
  return `No device is waiting with this code. Compare it with the code on the device. ${tries} left.`;
}

function codePage(person: SignedInPerson, problem: string | undefined): Page {
  return {
    title: "Sign in a device",
    body: html`${alert(problem)}
      <p>Enter the code that <code>lossless login</code> shows on the device.</p>
      <form method="post" action="${path}">
        ${csrfField(person)}
        <label for="code">Code</label>
        <input
          class="code"
          id="code"
          name="user_code"
          placeholder="XXXX-XXXX"
          required
          autofocus
          maxlength="20"
          autocomplete="off"
          autocapitalize="characters"
          autocorrect="off"
          spellcheck="false"
        />
        <button>Continue</button>
      </form>
      ${personLine(person, path)}`,
  };
}

function confirmPage(person: SignedInPerson, device: AskingDevice, organizations: string): Page {
  const asked = new Date(device.askedAtMs).toISOString().replace("T", " ").slice(0, 19);
  return {
    title: "Is this your device?",
    body: consentBody("The Lossless command line on another machine asks to act for you.", {
      person,
      organizations,
      facts: {
        "Requested from": device.askedFrom,
        "Requested at": `${asked} UTC`,
        Code: html`<code>${device.userCode}</code>`,
      },
      caution: html`<p>
        <strong>Only allow it if you started this on your own machine.</strong> If someone sent you
        the code, deny it.
      </p>`,
      address: path,
      hidden: html`<input type="hidden" name="user_code" value="${device.userCode}" />`,
    }),
  };
}

function donePage(person: SignedInPerson, allow: boolean): Page {
  return allow
    ? {
        title: "The device is signed in",
        body: html`<p>The device continues within a few seconds. You can close this page.</p>
          ${personLine(person, undefined)}`,
      }
    : {
        title: "Denied",
        body: html`<p>The device is not signed in. You can close this page.</p>
          ${personLine(person, undefined)}`,
      };
}
