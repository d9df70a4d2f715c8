import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { endpoints } from "@lossless/protocol";
import { basePathProblem, belowBase, withoutBase } from "./base-path.ts";

const base = "/tools/lossless";

suite("the path of the base address", () => {
  test("is taken off where it stands, and only as whole words", () => {
    for (const [target, own] of [
      ["/tools/lossless", "/"],
      ["/tools/lossless/", "/"],
      ["/tools/lossless?a=b", "/?a=b"],
      ["/tools/lossless/api/v1/whoami?a=/tools/lossless", "/api/v1/whoami?a=/tools/lossless"],
      ["/tools/lossless//api", "//api"],
      ["/.well-known/oauth-authorization-server/tools/lossless", endpoints.oauthMetadata.path],
      ["/api/v1/whoami", "/api/v1/whoami"],
      ["/tools/losslessly", "/tools/losslessly"],
      ["/tools", "/tools"],
      ["*", "*"],
    ]) {
      assert.equal(withoutBase(base, target), own);
      assert.equal(withoutBase("", target), target);
    }
  });

  test("comes before each address of ours, and can be told from all of them", () => {
    assert.equal(belowBase(base, "/"), "/tools/lossless/");
    assert.equal(belowBase("", "/sign-in"), "/sign-in");
    assert.equal(belowBase(base, "https://x.test/a"), "https://x.test/a");
    for (const { path } of Object.values(endpoints))
      assert.equal(withoutBase(base, belowBase(base, path)), path);
  });

  test("is none with which addresses of ours begin, and one for both base addresses", () => {
    const problem = (baseUrl: string | undefined, altBaseUrl?: string) =>
      basePathProblem({ baseUrl, altBaseUrl });
    for (const word of ["api", "ajax-api", "objects", "experiments", ".well-known", "healthz"])
      assert.match(problem(`https://x.test/${word}/b`) ?? "", new RegExp(`begins with /${word},`));
    assert.equal(problem("https://x.test/lossless/api", "http://y.test/lossless/api"), undefined);
    assert.equal(problem("https://x.test/lossless", "http://y.test"), undefined);
    assert.equal(problem("https://x.test", "http://y.test"), undefined);
    assert.equal(problem(undefined), undefined);
    for (const [first, second] of [
      ["https://x.test", "https://y.test/b"],
      ["https://x.test/a", "https://y.test/b"],
      [undefined, "https://y.test/b"],
    ])
      assert.match(problem(first, second) ?? "", /--alt-base-url must have the path of --base-url/);
  });
});
