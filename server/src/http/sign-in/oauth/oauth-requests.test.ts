import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { testService } from "../../storage.fixture.ts";

async function post(url: string, payload: string, type = "application/x-www-form-urlencoded") {
  const service = testService();
  service.storage.onCall = () => ({ refusal: "invalid_grant" });
  const headers = { "content-type": type };
  const {
    statusCode,
    body,
    headers: sent,
  } = await service.app.inject({ method: "POST", url, headers, payload });
  const error = body === "" ? undefined : (JSON.parse(body) as { error?: string }).error;
  return { status: statusCode, error, pragma: sent.pragma };
}

suite("requests of OAuth clients", () => {
  test("a parameter without a value is as if it was left out (RFC 6749 3.2)", async () => {
    const refresh = `grant_type=refresh_token&refresh_token=rt_${"x".repeat(43)}`;
    assert.equal((await post("/oauth/token", `${refresh}&client_id=`)).error, "invalid_grant");
    assert.equal((await post("/oauth/token", `${refresh}&client_id=x`)).error, "invalid_client");
    assert.equal((await post("/oauth/token", "grant_type=")).error, "invalid_request");
    assert.equal((await post("/oauth/revoke", "token=x&client_id=")).status, 200);
    const redirect = encodeURIComponent("http://127.0.0.1:5000/callback");
    const query = `client_id=lossless-cli&redirect_uri=${redirect}&response_type=&state=`;
    const asked = await testService().app.inject({ url: `/oauth/authorize?${query}` });
    const { searchParams } = new URL(String(asked.headers.location));
    assert.equal(searchParams.get("error"), "invalid_request");
    assert.equal(searchParams.get("state"), null);
  });

  test("bodies that cannot be read are 400 invalid_request (RFC 6749 5.2)", async () => {
    for (const url of ["/oauth/token", "/oauth/device", "/oauth/revoke"]) {
      for (const reply of [
        await post(url, "{}", "application/json"),
        await post(url, "x".repeat(70_000)),
      ]) {
        assert.deepEqual([reply.status, reply.error], [400, "invalid_request"], url);
      }
    }
  });

  test("no reply with tokens is kept by an old cache (RFC 6749 5.1)", async () => {
    assert.equal((await post("/oauth/token", "grant_type=x")).pragma, "no-cache");
  });

  test("the metadata says how each endpoint knows its clients (RFC 8414)", async () => {
    const url = "/.well-known/oauth-authorization-server";
    const metadata = (await testService().app.inject({ url })).json<Record<string, unknown>>();
    assert.deepEqual(metadata["token_endpoint_auth_methods_supported"], ["none"]);
    assert.deepEqual(metadata["revocation_endpoint_auth_methods_supported"], ["none"]);
  });
});
