import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { type Config, readCommandLine } from "./config.ts";
import {
  ConfigError,
  flagName,
  optionNames,
  options,
  optionsHelp,
  variableName,
} from "./options.ts";

const directory = mkdtempSync(join(tmpdir(), "lossless-config-"));
after(() => rmSync(directory, { recursive: true }));

function file(content: unknown): string {
  const path = join(directory, "config.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function read(words: string[], variables: Record<string, string> = {}): Config {
  const command = readCommandLine(words, variables);
  if (command.kind !== "serve") throw new Error(`got ${command.kind}`);
  return command.config;
}

function refused(words: string[], variables: Record<string, string>, sentence: RegExp): void {
  assert.throws(
    () => readCommandLine(words, variables),
    (error) => {
      assert.ok(error instanceof ConfigError, String(error));
      assert.match(error.message, sentence);
      return true;
    },
  );
}

suite("options", () => {
  test("the documented defaults", () => {
    const config = read([]);
    assert.deepEqual(
      [config.data, config.host, config.port, config.baseUrl, config.databaseUrl, config.adminPort],
      ["./lossless-data", "127.0.0.1", 7070, undefined, undefined, undefined],
    );
    for (const name of optionNames) assert.equal(config[name], options[name].defaultValue);
  });

  test("flag beats variable beats file", () => {
    const path = file({ port: 1, host: "file", "max-streams": 5, maxBodyBytes: 2_048 });
    const variables = { LOSSLESS_PORT: "2", LOSSLESS_HOST: "variable" };
    const config = read(["--config", path, "--port=3"], variables);
    assert.deepEqual(
      [config.port, config.host, config.maxStreams, config.maxBodyBytes],
      [3, "variable", 5, 2_048],
    );
    assert.equal(read([], { LOSSLESS_CONFIG: path }).port, 1);
  });

  test("every option is a flag, a variable and a key", () => {
    const values: Partial<Record<string, string>> = {
      baseUrl: "http://x.example",
      altBaseUrl: "http://x.example",
      issuerUrl: "https://keys.example/lossless",
      databaseUrl: "postgres://x",
      segments: "s3://bucket/prefix",
      trustedProxies: "10.0.0.0/8",
      traces: "http://127.0.0.1:4318/v1/traces",
    };
    for (const name of optionNames) {
      const word = String(options[name].defaultValue ?? values[name] ?? "7000");
      const expected = options[name].parse(word);
      // Alone it would be a mistake.
      const others = name === "databasePasswordFile" ? ["--database-url", "postgres://x"] : [];
      assert.deepEqual(read([...others, `--${flagName(name)}`, word])[name], expected);
      assert.deepEqual(read(others, { [variableName(name)]: word })[name], expected);
      const key = file({ [flagName(name)]: word });
      assert.deepEqual(read([...others, "--config", key])[name], expected);
      assert.ok(optionsHelp().includes(`--${flagName(name)} `));
    }
    assert.equal(variableName("altBaseUrl"), "LOSSLESS_ALT_BASE_URL");
  });

  test("whatever is not an option is an error", () => {
    refused(["--nope"], {}, /no option --nope/);
    refused(["--nope=1"], {}, /no option --nope\./);
    refused(["data"], {}, /no option data/);
    refused(["-p", "1"], {}, /no option -p/);
    refused([], { LOSSLESS_NOPE: "1" }, /LOSSLESS_NOPE/);
    refused(["--config", file({ nope: 1 })], {}, /"nope"/);
    refused(["--config", file({ port: 1, config: "x" })], {}, /"config"/);
    refused(["--port"], {}, /--port needs a value/);
    assert.equal(read(["--port", "1", "--port=2"]).port, 2);
    refused(["--config", file({ "base-url": "http://a", baseUrl: "http://b" })], {}, /twice/);
  });

  test("variables of the client, of tests and of Kubernetes are left alone", () => {
    read([], {
      LOSSLESS_URL: "http://x",
      LOSSLESS_API_KEY: "ak_x",
      LOSSLESS_TEST_BACKENDS: "sqlite",
      LOSSLESS_SERVICE_HOST: "10.0.0.1",
      LOSSLESS_PORT_7070_TCP: "tcp://10.0.0.1:7070",
    });
  });

  test("the token issuer's address is https, and stays as it is written", () => {
    for (const good of ["https://keys.example", "https://k.example/a/b", "http://127.0.0.1:7070"]) {
      assert.equal(read(["--issuer-url", good]).issuerUrl, good);
    }
    assert.equal(read(["--issuer-url", "https://Keys.example"]).issuerUrl, "https://keys.example");
    for (const wrong of [
      "",
      "keys.example",
      "http://keys.example",
      "https://keys.example/",
      "https://keys.example/a/",
      "https://keys.example/a?b",
      "https://keys.example#",
      "https://u:p@keys.example",
    ]) {
      refused(["--issuer-url", wrong], {}, /--issuer-url must be an address like https:/);
    }
  });

  test("values are checked, and secrets are not repeated", () => {
    for (const port of ["", "-1", "65536", "1.5", "1e3", "tcp://x", " 1"]) {
      refused(["--port", port], {}, /--port must be a whole number from 0 to 65535/);
    }
    refused([], { LOSSLESS_PORT: "x" }, /LOSSLESS_PORT must be/);
    for (const url of [
      "lossless.example",
      "ftp://x",
      "http://x//path",
      "http://x/a//",
      "http://x/a/../b",
      "http://x/%61",
      "http://x/a b",
      "http://x/a;b",
      "http://u:p@x",
      "http://x?",
      "http://x#",
    ]) {
      refused(["--base-url", url], {}, /--base-url must be an address/);
    }
    assert.equal(read(["--base-url", "https://X.example:443/"]).baseUrl, "https://x.example");
    assert.equal(
      read(["--base-url", "https://x.example/a/b.c/"]).baseUrl,
      "https://x.example/a/b.c",
    );
    const proxies = (text: string) => read(["--trusted-proxies", text]).trustedProxies;
    assert.deepEqual(proxies("10.0.0.0/8, ::1"), ["10.0.0.0/8", "::1"]);
    for (const wrong of [
      "",
      "10.0.0.0/",
      "10.0.0.0/33",
      "10.0.0.0/8,",
      "::1/129",
      "proxy",
      "1.1.1.1/8/8",
    ]) {
      refused(["--trusted-proxies", wrong], {}, /--trusted-proxies must be addresses or ranges/);
    }
    refused(["--log-level", "loud"], {}, /one of debug/);
    refused(["--database-url", "mysql://u:hunter22@h"], {}, /^(?!.*hunter22)/);
    const passwordFile = { LOSSLESS_DATABASE_PASSWORD_FILE: "/run/secrets/password" };
    refused([], passwordFile, /--database-password-file needs --database-url/);
    for (const url of ["postgres://u:hunter22@h/n", "postgres://u@h/n?password=hunter22"])
      refused(["--database-url", url], passwordFile, /^(?!.*hunter22).*remove it from the address/);
    const database = ["--database-url", "postgres://u@h/n"];
    assert.equal(read(database, passwordFile).databasePasswordFile, "/run/secrets/password");
    refused(["--config", file("{")], {}, /is not one valid JSON document/);
    const written = (text: string) => {
      const path = file("{}");
      writeFileSync(path, text);
      return ["--config", path];
    };
    refused(written('{"port":0,"port":1}'), {}, /the member name "port" twice/);
    refused(written("\ufeff{}"), {}, /\(--config\) starts with a byte order mark/);
    refused(
      written('{"data":"a\\u0000"}'),
      {},
      /\(--config\): data contains a lone surrogate or a NUL/,
    );
    refused(["--config", file([1])], {}, /one JSON object/);
    refused(["--config", file({ port: true })], {}, /"port" must be/);
    refused(["--config", join(directory, "none")], {}, /cannot be read: ENOENT/);
  });

  test("help and version", () => {
    assert.equal(readCommandLine(["--help"], {}).kind, "help");
    assert.equal(readCommandLine(["--port", "x", "-h"], {}).kind, "help");
    assert.equal(readCommandLine(["--version"], {}).kind, "version");
  });
});
