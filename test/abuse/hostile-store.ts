import { call, parseObject } from "../http.ts";
import { answering } from "../loopback.ts";
import { people } from "../service.ts";
import type { Abuse } from "./abuse.ts";

const attributes = Array.from({ length: 1_000_000 }, (_, index) => `a${index}="b"`).join(" ");
const bodies = {
  "a million attributes": `<Error ${attributes}/>`,
  "15 MB of references": `<Error><Code>${"&lt;".repeat(3_900_000)}</Code></Error>`,
  "15 MB of text": `<Error><Code>${"x".repeat(15_900_000)}</Code></Error>`,
  "two million elements": `<Error>${"<a/>".repeat(2_000_000)}</Error>`,
};

/** Finding 6: a store whose replies keep a parser busy. */
export const hostileStore: Abuse = {
  name: "replies of a hostile store",
  isTimed: true,
  async prepare(scene) {
    const { text } = await call(scene.service.baseUrl, {
      path: "/api/v1/sessions",
      body: { ...people.ada, organization: "acme" },
    });
    const credential = parseObject(text).token as string;
    return async () => {
      for (const [what, body] of Object.entries(bodies)) {
        const { reply, puts } = await addLocation(scene.service.baseUrl, credential, body);
        const isRefused = reply.status === 400 || reply.status === 502;
        scene.expect(isRefused, `${what}: the location got ${reply.status}: ${reply.text}`);
        scene.expect(puts === 1, `${what}: the first request was sent ${puts} times`);
      }
    };
  },
};

async function addLocation(baseUrl: string, credential: string, body: string) {
  let puts = 0;
  await using store = await answering((request, response) => {
    if (request.method === "PUT") puts += 1;
    request.resume();
    response.on("error", () => {});
    response.writeHead(403, { "content-type": "application/xml" }).end(body);
  });
  const location = {
    kind: "s3",
    endpoint: store.origin,
    bucket: "bucket-x",
    path: "",
    signingRegion: "us-east-1",
    pathStyle: true,
    accessKeyId: "A",
    secretAccessKey: "S",
    cloud: "x",
    region: "y",
    fallback: false,
  };
  const reply = await call(baseUrl, { path: "/api/v1/locations", credential, body: location });
  return { reply, puts };
}
