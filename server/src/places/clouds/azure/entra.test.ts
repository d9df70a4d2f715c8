import { ConfidentialClientApplication, ServerError, type INetworkModule } from "@azure/msal-node";
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../../buckets/bucket.ts";
import { azureCloud } from "./cloud.ts";
import type { TokenIssuer } from "../cloud.ts";
import { publicEndpoints } from "../endpoints.ts";
import type { ConnectionAccess } from "../../rows/connections/connection.ts";
import { SmallIssuer } from "../../../../../test/clouds/gcp/small-issuer.ts";
import { AzureBench } from "./bench.fixture.ts";
import { fetchAccessToken } from "./entra.ts";

/** Verifies with tokens as `mint` makes them; gives how that was refused. */
async function refusal(
  bench: AzureBench,
  mint: TokenIssuer["mint"],
  access: ConnectionAccess = bench.access,
): Promise<StoreError> {
  const endpoints = { ...publicEndpoints, azure: bench.double.endpoints };
  const cloud = azureCloud({ tokens: { mint }, endpoints, clock: Date.now });
  try {
    await cloud.verify(access);
  } catch (error) {
    assert.ok(error instanceof StoreError, String(error));
    assert.ok(!error.transient);
    assert.match(error.advice ?? "", /^[A-Z].*\.$|^Let the/);
    return error;
  }
  assert.fail("it was not refused");
}

test("Entra's double takes a token of the trusted issuer, and nothing else", async () => {
  await using bench = await AzureBench.start();
  const { issuer } = bench;
  await bench.cloud.verify(bench.access);
  const cases: [string, TokenIssuer["mint"]][] = [
    ["AADSTS700027", (claims) => issuer.forge(claims)],
    ["AADSTS700024", (claims) => issuer.mint({ ...claims, lifeSeconds: -60 })],
    ["AADSTS700211", (claims) => issuer.mint({ ...claims, issuer: "https://other.example" })],
    ["AADSTS700212", (claims) => issuer.mint({ ...claims, audience: "sts.amazonaws.com" })],
    ["AADSTS700213", (claims) => issuer.mint({ ...claims, subject: `${claims.subject}0` })],
    ["AADSTS700027", async (claims) => (await issuer.mint(claims)).replace(/.$/, "")],
    ["AADSTS700027", async () => "none"],
  ];
  for (const [code, mint] of cases) assert.equal((await refusal(bench, mint)).code, code);
  await using other = await SmallIssuer.start();
  const foreign = await refusal(bench, (claims) =>
    other.mint({ ...claims, issuer: issuer.issuer }),
  );
  assert.equal(foreign.code, "AADSTS700027");
  await issuer.rotate();
  await bench.cloud.verify(bench.access);
});

test("wrong identifiers are told apart, and none of them lets in", async () => {
  await using bench = await AzureBench.start();
  const { identifiers } = bench.access;
  assert.ok(identifiers.cloud === "azure");
  const none = crypto.randomUUID();
  for (const [change, code] of [
    [{ tenantId: none }, "AADSTS90002"],
    [{ clientId: none }, "AADSTS700016"],
    [{ subscriptionId: none }, "SubscriptionNotFound"],
    [{ resourceGroup: "other" }, "AuthorizationFailed"],
  ] as const) {
    const azure = { ...identifiers.azure, ...change };
    const access = { ...bench.access, identifiers: { ...identifiers, azure } };
    const error = await refusal(bench, (claims) => bench.issuer.mint(claims), access);
    assert.equal(error.code, code);
  }
  bench.application.roles = [];
  const error = await refusal(bench, (claims) => bench.issuer.mint(claims));
  assert.equal(error.code, "AuthorizationFailed");
});

test("each interface takes only the token that was given for it", async () => {
  await using bench = await AzureBench.start();
  const { double, issuer, application } = bench;
  const wanted = { region: "westeurope", origin: "https://lossless.example" };
  const { endpoint, bucket } = await bench.cloud.createBucket(bench.access, wanted);
  const tokenOf = async (resource: string): Promise<string> => {
    const { subject, audience, tenantId, clientId } = application;
    const reply = await fetch(`${double.endpoints.login}/${tenantId}/oauth2/v2.0/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: clientId,
        scope: `https://${resource}.azure.com/.default`,
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: await issuer.mint({ subject, audience }),
      }),
    });
    return ((await reply.json()) as { access_token: string }).access_token;
  };
  const statusOf = async (url: string, token: string) => {
    const headers = { authorization: `Bearer ${token}`, "x-ms-version": "2020-12-06" };
    const reply = await fetch(url, { headers });
    await reply.body?.cancel();
    return reply.status;
  };
  const group = `${double.endpoints.management}/subscriptions/${application.subscriptionId}/resourceGroups/${application.resourceGroup}?api-version=2021-04-01`;
  const list = `${endpoint}/${bucket}?restype=container&comp=list`;
  const [storage, management] = [await tokenOf("storage"), await tokenOf("management")];
  assert.deepEqual([await statusOf(group, management), await statusOf(list, storage)], [200, 200]);
  assert.deepEqual(
    [await statusOf(group, storage), await statusOf(list, management), await statusOf(list, "x")],
    [401, 401, 401],
  );
});

test("the exchange asks what MSAL asks, less what MSAL tells of itself; MSAL reads the double", async () => {
  await using bench = await AzureBench.start();
  const { application, double } = bench;
  const { forms } = double.entra;
  const assertion = await bench.issuer.mint(application);
  const settings = { ...bench.settings, tokens: { mint: async () => assertion } };
  const scope = "https://storage.azure.com/.default";
  await fetchAccessToken(settings, bench.access, scope, 10_000);
  const msal = msalOf(bench, assertion);
  const { expiresOn } = (await msal.acquireTokenByClientCredential({ scopes: [scope] }))!;
  assert.ok(expiresOn!.getTime() > Date.now() + 3_500_000);
  const ofItself = /^(x-client-|x-ms-lib-|client-request-id$)/;
  const [ours, theirs] = forms.splice(0).map((form) => [...form].sort());
  assert.deepEqual(
    ours,
    theirs.filter(([name]) => !ofItself.test(name)),
  );
  application.audience = "another";
  const [{ code }, refused] = await Promise.all([
    refusal(bench, settings.tokens.mint),
    msal.acquireTokenByClientCredential({ scopes: [scope], skipCache: true }).catch(Object),
  ]);
  assert.ok(refused instanceof ServerError);
  assert.equal(`AADSTS${refused.errorNo}`, code);
});

/** Microsoft's own client of Entra. It knows the public address, and takes no http. */
function msalOf({ application, double }: AzureBench, clientAssertion: string) {
  const { clientId, tenantId } = application;
  const { login } = publicEndpoints.azure;
  const networkClient: INetworkModule = {
    sendGetRequestAsync: () => assert.fail("MSAL asked where to ask"),
    sendPostRequestAsync: async (url, { headers, body } = {}) => {
      const sent = { method: "POST", headers: headers ?? {}, body: body ?? "" };
      const reply = await fetch(url.replace(login, double.endpoints.login), sent);
      return { status: reply.status, headers: {}, body: (await reply.json()) as never };
    },
  };
  return new ConfidentialClientApplication({
    auth: { clientId, authority: `${login}/${tenantId}`, clientAssertion },
    system: { networkClient },
  });
}
