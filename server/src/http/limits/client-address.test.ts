import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { suite, test } from "node:test";
import { ClientAddresses, senderOf } from "./client-address.ts";
import { testService } from "../storage.fixture.ts";

function addressOf(trusted: string[], peer: string | undefined, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
  return new ClientAddresses(trusted).of(request);
}

suite("who sent a request", () => {
  test("T23: without trusted proxies, or from another peer, the header means nothing", () => {
    assert.equal(addressOf([], "127.0.0.1", "192.0.2.1"), "127.0.0.1");
    assert.equal(addressOf(["10.0.0.0/8"], "192.0.2.9", "192.0.2.1"), "192.0.2.9");
    assert.equal(addressOf([], "::ffff:192.0.2.9"), "192.0.2.9");
    assert.equal(addressOf([], "fe80::1%eth0"), "fe80::1");
    assert.equal(addressOf(["10.0.0.0/8"], undefined, "192.0.2.1"), "");
  });

  test("behind proxies it is the last address that is none of them", () => {
    const proxies = ["10.0.0.0/8", "fd00::/8", "192.0.2.53"];
    const behind = (forwarded?: string, peer = "10.0.0.1") => addressOf(proxies, peer, forwarded);
    assert.equal(behind("198.51.100.7"), "198.51.100.7");
    assert.equal(behind("1.1.1.1, 198.51.100.7"), "198.51.100.7");
    assert.equal(behind("1.1.1.1,198.51.100.7 , 192.0.2.53,fd00::1"), "198.51.100.7");
    assert.equal(behind("198.51.100.7", "::ffff:10.0.0.1"), "198.51.100.7");
    assert.equal(behind("::ffff:198.51.100.7"), "198.51.100.7");
    assert.equal(behind("198.51.100.7:4711"), "198.51.100.7");
    assert.equal(behind("[2001:db8::7]:4711"), "2001:db8::7");
    assert.equal(behind("2001:db8::7"), "2001:db8::7");
  });

  test("what is no address is not believed, and what stands before it neither", () => {
    const behind = (forwarded?: string) => addressOf(["10.0.0.0/8"], "10.0.0.1", forwarded);
    assert.equal(behind(), "10.0.0.1");
    assert.equal(behind(""), "10.0.0.1");
    assert.equal(behind("unknown"), "10.0.0.1");
    assert.equal(behind("1.1.1.1, <script>, 10.0.0.2"), "10.0.0.2");
    assert.equal(behind("1.1.1.1,"), "10.0.0.1");
    assert.equal(behind("10.0.0.3, 10.0.0.2"), "10.0.0.3");
    assert.equal(behind(`1.1.1.1${", 10.0.0.2".repeat(2_000)}`), "10.0.0.2");
  });

  test("an IPv6 sender is its /64", () => {
    assert.equal(senderOf("192.0.2.1"), "192.0.2.1");
    assert.equal(senderOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    assert.equal(senderOf("2001:db8::6"), "2001:db8:0:0::/64");
    assert.equal(senderOf("2001:DB8:1:2::"), "2001:db8:1:2::/64");
    assert.equal(senderOf("::1"), "0:0:0:0::/64");
    assert.equal(senderOf(""), "");
  });

  test("every route sees it, and X-Forwarded-Host and -Proto stay without meaning", async () => {
    const revoke = async (options: Parameters<typeof testService>[0]) => {
      const service = testService(options);
      const reply = await service.app.inject({
        method: "POST",
        url: "/oauth/revoke",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          "x-forwarded-for": "1.1.1.1, 198.51.100.7",
          "x-forwarded-host": "evil.example",
          "x-forwarded-proto": "gopher",
        },
        payload: `token=at_${"x".repeat(43)}`,
      });
      assert.equal(reply.statusCode, 200);
      assert.match(service.logged.join(), /"route":"\/oauth\/revoke"/);
      return /"address":"([^"]*)"/.exec(service.logged.join())?.[1];
    };
    assert.equal(await revoke({ trustedProxies: "127.0.0.0/8" }), "198.51.100.7");
    assert.equal(await revoke({}), "127.0.0.1");
  });
});
