import type { Server } from "node:http";
import { Provider } from "oidc-provider";
import { listening, LoopbackServer } from "../loopback.ts";

/** An account of the provider, with the claims that it tells. */
export interface Account {
  email?: string;
  email_verified?: boolean;
  groups?: string[];
}

/** One for each way of saying at the token endpoint which client it is. */
export const client = { id: "lossless", secret: "the client's secret, 40 characters long..." };
export const basicClient = { ...client, id: "lossless-basic" };
export const publicClient = { id: "lossless-public" };

/**
 * A real OpenID provider on loopback, `oidc-provider`. It signs in whoever `account` names without
 * asking, and consents for them.
 */
export class IdentityProvider extends LoopbackServer {
  readonly issuer = this.origin;
  /** Claims by subject. */
  readonly accounts = new Map<string, Account>();
  /** The subject that the next sign-in is of. */
  account = "";

  private constructor(server: Server, redirectAddresses: readonly string[]) {
    super(server);
    const provider = this.#provider(redirectAddresses);
    const serve = provider.callback();
    server.on("request", (request, response) => {
      if (!request.url?.startsWith("/interaction/")) return void serve(request, response);
      const result = { login: { accountId: this.account } };
      void provider.interactionFinished(request, response, result);
    });
  }

  static async start(redirectAddresses: readonly string[]): Promise<IdentityProvider> {
    return new IdentityProvider(await listening(), redirectAddresses);
  }

  #provider(redirectAddresses: readonly string[]): Provider {
    return new Provider(this.issuer, {
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [...redirectAddresses],
          token_endpoint_auth_method: "client_secret_post",
        },
        {
          client_id: basicClient.id,
          client_secret: basicClient.secret,
          redirect_uris: [...redirectAddresses],
          token_endpoint_auth_method: "client_secret_basic",
        },
        {
          client_id: publicClient.id,
          redirect_uris: [...redirectAddresses],
          token_endpoint_auth_method: "none",
        },
      ],
      cookies: { keys: ["a key of the test's own"] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
      scopes: ["openid", "email", "profile", "groups"],
      conformIdTokenClaims: false,
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, accountId) => ({
        accountId,
        claims: async () => ({ sub: accountId, ...this.accounts.get(accountId) }),
      }),
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client!.clientId,
          accountId: oidc.session!.accountId!,
        });
        grant.addOIDCScope("openid email profile groups");
        await grant.save();
        return grant;
      },
      renderError(context, out) {
        context.type = "text";
        context.body = JSON.stringify(out);
      },
    });
  }
}
