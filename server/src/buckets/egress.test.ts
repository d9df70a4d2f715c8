import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { classify } from "./egress-ranges.ts";
import { StoreError } from "./bucket.ts";
import { EgressPolicy, type ResolvedAddress } from "./egress.ts";
import { S3Bucket } from "./s3/bucket.ts";

const nowhere = () => [];
const strict = new EgressPolicy({ allowPrivate: [], ownAddresses: nowhere });
const lenient = new EgressPolicy({
  allowPrivate: ["127.0.0.0/8", "10.0.0.0/8", "fd00::/8", "::1/128"],
  ownAddresses: () => [
    { address: "127.0.0.1", port: 7070 },
    { address: "0.0.0.0", port: 7071 },
    { address: "::", port: 7072 },
  ],
});

const refused = (policy: EgressPolicy, texts: string[]) =>
  texts.filter((text) => "origin" in policy.checkEndpoint(text));

test("every address is what it is, in any of its forms", () => {
  const kinds: Record<ReturnType<typeof classify>, string[]> = {
    public: [
      "1.1.1.1",
      "52.216.1.1",
      "172.32.0.1",
      "100.128.0.1",
      "2606:4700::1111",
      "::ffff:1.1.1.1",
      "64:ff9b::1.1.1.1",
      "2002:101:101::1",
    ],
    private: [
      "10.1.2.3",
      "127.0.0.1",
      "127.255.255.255",
      "172.16.0.1",
      "192.168.1.1",
      "100.64.0.1",
      "::1",
      "fd12:3456::1",
      "fc00::1",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::ffff:0:10.0.0.1",
      "64:ff9b::10.0.0.1",
      "2002:a00:1::",
      "::127.0.0.1",
    ],
    forbidden: [
      "0.0.0.0",
      "0.1.2.3",
      "169.254.169.254",
      "169.254.170.2",
      "100.100.100.200",
      "168.63.129.16",
      "192.0.0.192",
      "224.0.0.1",
      "239.255.255.250",
      "240.0.0.1",
      "255.255.255.255",
      "::",
      "::ffff:169.254.169.254",
      "::ffff:a9fe:a9fe",
      "::ffff:0.0.0.0",
      "64:ff9b::169.254.169.254",
      "64:ff9b:1::1",
      "2002:a9fe:a9fe::",
      "2001::1",
      "fe80::1",
      "fe80::1%eth0",
      "febf::1",
      "fec0::1",
      "fd00:ec2::254",
      "fd00:ec2::23",
      "fd20:ce::254",
      "ff02::1",
      "100::1",
      "4000::1",
      "example.com",
      "",
    ],
  };
  for (const [kind, addresses] of Object.entries(kinds)) {
    assert.deepEqual(
      addresses.filter((address) => classify(address) !== kind),
      [],
      kind,
    );
  }
});

test("an endpoint is an address of http or https and nothing more", () => {
  const texts = [
    "",
    "s3.example.com",
    "//s3.example.com",
    "https:s3.example.com",
    "https:///s3.example.com",
    "https:\\\\s3.example.com",
    "file:///etc/passwd",
    "gopher://s3.example.com/",
    "ftp://s3.example.com",
    "javascript:alert(1)",
    "https://u:p@s3.example.com",
    "https://u@s3.example.com",
    "https://@s3.example.com",
    "https://s3.example.com/path",
    "https://s3.example.com//",
    "https://s3.example.com/?x=1",
    "https://s3.example.com?",
    "https://s3.example.com#",
    "https://s3.example.com#a",
    "https://s3.example.com\r\nHost: x",
    "https://s3.exa\nmple.com",
    "https://s3.exa\tmple.com",
    " https://s3.example.com",
    "https://s3.example.com ",
    "https://s3 example.com",
    "https://s3.example.com\\@evil.com",
    "https://s3.example.com:99999",
    "https://[::1",
    "https://s3.example.com\0",
    `https://${"a".repeat(300)}.com`,
  ];
  assert.deepEqual(refused(strict, texts), []);
  for (const [text, origin] of [
    ["https://s3.example.com", "https://s3.example.com"],
    ["https://s3.example.com/", "https://s3.example.com"],
    ["HTTPS://S3.Example.com:443", "https://s3.example.com"],
    ["https://s3.example.com:8443/", "https://s3.example.com:8443"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
    ["https://1.1.1.1", "https://1.1.1.1"],
    ["https://[2606:4700::1111]:9000", "https://[2606:4700::1111]:9000"],
  ] as const) {
    assert.deepEqual(strict.checkEndpoint(text), { origin });
  }
});

test("literal addresses that are not allowed are refused, however they are written", () => {
  const always = [
    "http://169.254.169.254",
    "https://169.254.169.254",
    "https://[::ffff:169.254.169.254]",
    "https://0xa9fea9fe",
    "https://0xa9.0xfe.0xa9.0xfe",
    "https://2852039166",
    "https://0251.0376.0251.0376",
    "https://169.254.43518",
    "https://１６９.254.169.254",
    "https://0.0.0.0",
    "https://0",
    "https://[::]",
    "https://[64:ff9b::a9fe:a9fe]",
    "https://[fe80::1]",
    "https://[fd00:ec2::254]",
    "https://255.255.255.255",
    "https://224.0.0.1",
    "https://metadata.google.internal",
    "https://METADATA.google.internal.",
    "https://metadata",
  ];
  const unlessAllowed = [
    "http://127.0.0.1:9000",
    "https://127.1",
    "https://0x7f000001",
    "https://2130706433",
    "https://10.0.0.1",
    "https://[::1]:9000",
    "https://[::ffff:7f00:1]",
    "https://[fd12::1]",
    "https://[64:ff9b::a00:1]",
  ];
  assert.deepEqual(refused(strict, [...always, ...unlessAllowed, "https://192.168.0.1"]), []);
  assert.deepEqual(refused(lenient, [...always, "https://192.168.0.1", "http://1.1.1.1"]), []);
  assert.deepEqual(refused(lenient, unlessAllowed), unlessAllowed);
  assert.deepEqual(strict.checkEndpoint("http://10.0.0.1"), {
    refusal:
      "is in a private range that the operator has not allowed (egress.allowPrivate of the provision file)",
  });
});

test("the service's own ports are no endpoints, whatever is allowed", () => {
  const own = [
    "http://127.0.0.1:7070",
    "http://[::ffff:127.0.0.1]:7070",
    "http://127.0.0.1:7071",
    "http://127.9.9.9:7071",
    "http://[::1]:7072",
    "http://127.0.0.1:7072",
  ];
  assert.deepEqual(refused(lenient, own), []);
  assert.deepEqual(lenient.checkEndpoint("http://127.0.0.1:7073"), {
    origin: "http://127.0.0.1:7073",
  });
});

/** Counts the connections that it gets; one is already too many. */
async function countingServer() {
  const server = createTcpServer((socket) => {
    connections++;
    socket.destroy();
  });
  let connections = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const judged = (answers: ResolvedAddress[][], allowPrivate: string[] = []) => {
  let asked = 0;
  const policy = new EgressPolicy({
    allowPrivate,
    ownAddresses: nowhere,
    resolve: async () => answers[asked++] ?? answers.at(-1)!,
  });
  return { policy, asked: () => asked };
};

async function connect(policy: EgressPolicy, url: string): Promise<string> {
  const { http, https } = policy.agents();
  try {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname: hostname.replaceAll(/[[\]]/g, ""), port, agent: http });
    sent.end();
    const [reply] = await once(sent, "response");
    reply.resume();
    return String(reply.statusCode);
  } catch (error) {
    return (error as Error).name;
  } finally {
    http.destroy();
    https.destroy();
  }
}

test("nothing is sent to an address that is not allowed", async () => {
  await using server = await countingServer();
  const loopback = { address: "127.0.0.1", family: 4 };
  const mapped = { address: "::ffff:127.0.0.1", family: 6 };
  const open = { address: "93.184.216.34", family: 4 };
  for (const found of [[loopback], [mapped], [open, loopback], [loopback, open]]) {
    const { policy } = judged([found]);
    assert.equal(await connect(policy, `http://store.test:${server.port}`), "UnusableHost");
  }
  const { policy, asked } = judged([[loopback]]);
  assert.equal(await connect(policy, `http://localhost:${server.port}`), "UnusableHost");
  for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]", "metadata.google.internal"])
    assert.equal(await connect(policy, `http://${host}:${server.port}`), "ForbiddenAddress");
  assert.equal(asked(), 1);
  assert.equal(server.connections(), 0);
});

test("a public name over plain http is not connected to either", async () => {
  const { policy } = judged([[{ address: "93.184.216.34", family: 4 }]]);
  assert.equal(await connect(policy, "http://store.test:80"), "UnusableHost");
});

test("a name is resolved once for a connection: what it says afterwards does not count", async () => {
  await using server = await countingServer();
  const replies = createServer((_, response) => response.end("ok"));
  replies.listen(0, "127.0.0.2");
  await once(replies, "listening");
  await using _ = replies;
  const { port } = replies.address() as AddressInfo;
  const allowed = { address: "127.0.0.2", family: 4 };
  const rebound = { address: "127.0.0.1", family: 4 };
  const { policy, asked } = judged([[allowed], [rebound]], ["127.0.0.2/32"]);
  assert.equal(await connect(policy, `http://store.test:${port}`), "200");
  assert.equal(asked(), 1);
  // The next connection asks again, and is judged again.
  assert.equal(await connect(policy, `http://store.test:${server.port}`), "UnusableHost");
  assert.equal(server.connections(), 0);
});

test("a name that does not resolve and one that leads inside are told alike, and asked for alike", async () => {
  const failures = [
    () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" })),
    () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "EAI_AGAIN" })),
    () => Promise.resolve([]),
    () => Promise.resolve([{ address: "10.0.0.7", family: 4 }]),
  ];
  const told = [];
  for (const failure of failures) {
    let asked = 0;
    const resolve = () => {
      asked++;
      return failure();
    };
    const egress = new EgressPolicy({ allowPrivate: [], ownAddresses: () => [], resolve });
    await using bucket = new S3Bucket({
      endpoint: "https://vault.internal.test",
      bucket: "b",
      signingRegion: "us-east-1",
      pathStyle: true,
      accessKeyId: "a",
      secretAccessKey: "s",
      egress,
    });
    const error = await bucket.size("k").catch((caught: unknown) => caught);
    assert.ok(error instanceof StoreError);
    const { code, transient, message } = error;
    told.push({ code, transient, message, asked });
  }
  for (const each of told) assert.deepEqual(each, told[0]);
  assert.equal(told[0].code, "unknown or forbidden host");
});
