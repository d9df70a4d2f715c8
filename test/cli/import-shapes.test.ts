import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { suite, test } from "node:test";
import { gzipSync } from "node:zlib";
import { LosslessClient } from "@lossless/client";
import { organizations } from "../service.ts";
import { suiteDirectory, suiteService } from "../suite-service.ts";
import { run } from "./command-line.ts";

const directory = suiteDirectory("import");
let client: LosslessClient;

const service = suiteService({}, async ({ baseUrl }) => {
  client = new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
});

const header = "step,elapsed_ms,metric,value\n";

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(directory, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function imported(...words: string[]): Promise<{ code: unknown; text: string }> {
  const { code, stdout, stderr } = await run(service.baseUrl, "import", ...words);
  return { code, text: stdout + stderr };
}

/** Step, time and value of every point, by name. */
async function points(slug: string): Promise<Record<string, [number | null, number, number][]>> {
  const { experimentId } = await client.experiment({ experimentSlug: slug });
  const found: Record<string, [number | null, number, number][]> = {};
  for (const { seriesName, step, timestampMs, value } of await client.collectSeries({
    experimentId,
  })) {
    const rows = value.map((each, index) => [step[index], timestampMs[index], each]);
    (found[seriesName] ??= []).push(...(rows as [number | null, number, number][]));
  }
  return found;
}

async function values(slug: string, name = "loss"): Promise<number[]> {
  return ((await points(slug))[name] ?? []).map(([, , value]) => value);
}

function lines(count: number, of: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => of(index)).join("");
}

suite("lossless import of odd files", () => {
  test("the record of an import never sinks it", async () => {
    const name = "x".repeat(200);
    const long = await write(
      "longnames.csv",
      header + lines(400, (index) => `0,1,layer/${name}${index},1.5\n`),
    );
    assert.match((await imported(long)).text, /400 new points/);
    const { meta } = await client.experiment({ experimentSlug: "longnames" });
    const { metrics } = meta["import"] as { metrics: string[] };
    assert.ok(metrics.length > 200 && metrics.length < 400, `${metrics.length} names`);
    const rows = lines(50, (index) => `${index},1,loss,1.5\n`);
    const cell = await write("longcell.csv", `${header}${rows}50,1,${"y".repeat(100_000)},2\n`);
    const told = await imported(cell);
    assert.equal(told.code, 1);
    assert.match(told.text, /longcell\.csv:52: metric has more than 512 bytes/);
    assert.equal((await values("longcell")).length, 50);
    const nul = await write(
      "nul.csv",
      `${header}0,1,loss,1.5\n1,1,lo\0ss,2\n2,1,loss,3\n${"\0".repeat(4096)}`,
    );
    const odd = await imported(nul);
    assert.equal(odd.code, 1);
    assert.match(odd.text, /nul\.csv:3: contains NUL bytes\n.*nul\.csv:5: contains NUL bytes/);
    assert.deepEqual(await values("nul"), [1.5, 3]);
  });

  test("the meta that an experiment has leaves the record less room", async () => {
    const recorder = await client.record({ slug: "full", meta: { note: "x".repeat(65_000) } });
    await recorder.finish();
    const file = await write("full.csv", header + lines(50, (index) => `0,,metric ${index},1\n`));
    assert.equal((await imported(file, "--append")).code, 0);
    assert.equal(Object.keys(await points("full")).length, 50);
    await client.openExperiment({ slug: "fuller", meta: { note: "x".repeat(65_500) } });
    const other = await write("fuller.csv", `${header}0,,loss,1\n`);
    assert.equal((await imported(other, "--append")).code, 0);
    assert.deepEqual(await values("fuller"), [1]);
  });

  test("a damaged byte costs its line alone", async () => {
    const good = (first: number): string => lines(1_000, (index) => `${first + index},1,loss,1\n`);
    const latin = Buffer.concat([
      Buffer.from(header + good(0)),
      Buffer.from("1000,1000,loss"),
      Buffer.from([0xe9]),
      Buffer.from(",1.5\n" + good(1_001)),
    ]);
    const told = await imported(await write("latin1.csv", latin));
    assert.equal(told.code, 1);
    assert.match(told.text, /latin1\.csv:1002: is not UTF-8/);
    assert.equal((await values("latin1")).length, 2_000);
    // It is mended and imported again.
    const text = latin.toString("latin1");
    assert.match((await imported(await write("latin1.csv", text))).text, /1 new point, 2,000 al/);
    assert.equal((await points("latin1"))["loss%C3%A9"]?.length, 1);
  });

  test("of a packed file that breaks off the whole rows are stored, of a damaged one none", async () => {
    const text = header + lines(20_000, (index) => `${index},${index},loss,${index / 7}\n`);
    const packed = gzipSync(text);
    const told = await imported(await write("torn.csv.gz", packed.subarray(0, packed.length / 2)));
    assert.equal(told.code, 1);
    assert.match(told.text, /torn\.csv\.gz:\d+: the file ends here in the middle/);
    const found = await values("torn");
    assert.ok(found.length > 5_000 && found.length < 15_000);
    found.forEach((value, index) => assert.equal(value, index / 7));
    assert.equal((await imported(await write("torn.csv.gz", packed))).code, 0);
    assert.equal((await values("torn")).length, 20_000);
    packed[packed.length - 6] ^= 1;
    const damaged = await imported(await write("damaged.csv.gz", packed));
    assert.equal(damaged.code, 1);
    assert.match(damaged.text, /incorrect data check; a damaged \.gz may have wrong rows/);
    await assert.rejects(points("damaged"), /no experiment/);
  });

  test("lines end in LF, CRLF or CR; UTF-16 is read by its mark; a last line may be cut off", async () => {
    const text = `${header}0,1,perte/\u00e9,1\n1,2,loss,2\n`;
    const files: Record<string, string | Uint8Array> = {
      crlf: text.replaceAll("\n", "\r\n"),
      cr: text.replaceAll("\n", "\r"),
      bom: `\ufeff${text}`,
      utf16: Buffer.from(`\ufeff${text}`, "utf16le"),
      utf16be: Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
      unended: text.slice(0, -1),
    };
    for (const [slug, content] of Object.entries(files)) {
      const told = await imported(await write(`${slug}.csv`, content));
      assert.equal(told.code, 0, told.text);
      assert.deepEqual(await points(slug), {
        "perte/%C3%A9": [[0, 1_704_067_200_001, 1]],
        loss: [[1, 1_704_067_200_002, 2]],
      });
    }
    const bare = await imported(await write("bare.csv", Buffer.from(text, "utf16le")));
    assert.match(bare.text, /bare\.csv:1: the header contains NUL bytes: UTF-16 needs a byte/);
    const cut = await imported(await write("cut.csv", `${text}2,3,lo`));
    assert.equal(cut.code, 1);
    assert.match(cut.text, /cut\.csv:4: has 3 columns/);
    await write("cut.csv", `${text}2,3,loss,4\n`);
    assert.equal((await imported(join(directory, "cut.csv"))).code, 0);
    assert.deepEqual(await values("cut"), [2, 4]);
  });

  test("another run is not mixed in, not by a row, and moves nothing", async () => {
    const first = await write("version_0/metrics.csv", `${header}0,1,loss,1\n1,2,loss,1\n`);
    const second = await write(
      "version_1/metrics.csv",
      `${header}0,1,loss,2\n1,2,loss,2\n2,3,loss,2\n`,
    );
    assert.equal((await imported(first, "--folder", "a")).code, 0);
    const before = await client.experiment({ experimentSlug: "metrics" });
    const told = await imported(second, "--folder", "b");
    assert.equal(told.code, 1);
    assert.match(
      told.text,
      /imported from another metrics\.csv.*nothing was stored.*--slug-prefix/,
    );
    assert.deepEqual(await client.experiment({ experimentSlug: "metrics" }), before);
    assert.deepEqual(await values("metrics"), [1, 1]);
    const names = (await client.folders.tree()).folders.map(({ name }) => name);
    assert.ok(!names.includes("b"), "no folder is made");
    assert.equal((await imported(second, "--folder", "b", "--slug-prefix", "1-")).code, 0);
    // A run that begins alike, and one that is shorter.
    await write("version_1/metrics.csv", `${header}0,1,loss,1\n1,2,loss,3\n2,3,loss,2\n`);
    assert.equal((await imported(second)).code, 1);
    await write("version_1/metrics.csv", `${header}0,1,loss,3\n`);
    assert.equal((await imported(second)).code, 1);
    assert.deepEqual(await values("metrics"), [1, 1]);
    // The file itself, elsewhere, cut off, and grown.
    const moved = await imported(first, "--folder", "c/d");
    assert.equal(moved.code, 0);
    assert.match(moved.text, /metrics: is in the folder a and stays there/);
    await write("version_0/metrics.csv", `${header}0,1,loss,1\n`);
    assert.equal((await imported(first)).code, 0);
    await write("version_0/metrics.csv", `${header}0,1.0,loss,1.00\n1,2,loss,1\n2,3,loss,5`);
    assert.match((await imported(first)).text, /1 new point, 2 already stored/);
    await write(
      "version_0/metrics.csv",
      `${header}0,1,loss,1\n1,2,loss,1\n2,3,loss,5.5\n3,4,loss,6\n`,
    );
    const cut = await imported(first);
    assert.match(cut.text, /metrics\.csv:4: another row with this number was imported before/);
    assert.deepEqual(await values("metrics"), [1, 1, 5, 6]);
  });

  test("what 0.1.0 has imported is told from another run by its points", async () => {
    const good = `${header}0,,loss,1\n1,,loss,1\nwrong\n3,,loss,nan\n`;
    const file = await write("old.csv", good);
    await imported(file);
    const { meta } = await client.experiment({ experimentSlug: "old" });
    const { digest, undigested, ...record } = meta["import"] as Record<string, unknown>;
    assert.deepEqual([typeof digest, undigested], ["string", [3]]);
    const reopened = async (): Promise<unknown> =>
      client.openExperiment({ slug: "old", meta: { ...meta, import: record } });
    await reopened();
    await write("old.csv", `${header}1,,loss,1\n0,,loss,1\n2,,loss,1\n3,,loss,4\n4,,loss,1\n`);
    assert.match((await imported(file)).text, /nothing was stored/);
    await write("old.csv", `${good}4,,loss,2\n`);
    const told = await imported(file);
    assert.match(told.text, /1 new point, 2 already stored, 1 not finite, 1 wrong row/);
    assert.deepEqual(await values("old"), [1, 1, 2]);
  });

  test("a word that is no file, and a directory, lead to the sources", async () => {
    for (const word of ["sacred", "guild"]) {
      const told = await imported(word);
      assert.equal(told.code, 2);
      assert.match(told.text, new RegExp(`there is no file ${word}; other sources: .*mlflow URL`));
    }
    const python = await imported("wandb", "runs");
    assert.match(python.text, /belongs to the Python package: python -m lossless import wandb/);
    await mkdir(join(directory, "comet"));
    const told = await imported(join(directory, "comet"), join(directory, "comet"));
    assert.match(told.text, /comet is a directory: name the CSV files in it; other sources:/);
  });
});

suite("lossless import --wide", () => {
  const base = 1_704_067_200_000;

  test("a file with a column for each metric says how it is imported", async () => {
    for (const [name, content] of [
      ["no flag.csv", "epoch,step,loss\n0,9,1\n"],
      ["no-flag.tsv", "step\tloss\n0\t1\n"],
      ["no-flag-b.csv", '#{"t_start": 1}\nr,l,t\n1,2,3\n'],
    ]) {
      const path = await write(name, content);
      const { code, text } = await imported(path);
      assert.equal(code, 1);
      const command = name.includes(" ") ? `'${path}'` : path;
      assert.ok(text.includes(`is imported by: lossless import --wide ${command}`), text);
      assert.equal((await imported("--wide", path)).code, 0);
    }
    const narrow = await imported("--wide", await write("narrow.csv", `${header}0,,a,1\n`));
    assert.match(narrow.text, /import it without --wide/);
  });

  test("the files of other programs", async () => {
    const files: [string, string, Record<string, unknown>][] = [
      [
        "tensorboard.csv",
        "Wall time,Step,Value\n1600000000.123,0,0.5\n1600000001.5,1,0.4\n",
        {
          Value: [
            [0, 1_600_000_000_123, 0.5],
            [1, 1_600_000_001_500, 0.4],
          ],
        },
      ],
      [
        "lightning.csv",
        "epoch,step,train_loss,val_loss\n0,9,1.0,\n0,9,,2.0\n1,19,0.9,\n",
        {
          epoch: [
            [9, base + 1, 0],
            [9, base + 2, 0],
            [19, base + 3, 1],
          ],
          train_loss: [
            [9, base + 1, 1],
            [19, base + 3, 0.9],
          ],
          val_loss: [[9, base + 2, 2]],
        },
      ],
      [
        "sb3.monitor.csv",
        '#{"t_start": 1614619328.33, "env_id": "CartPole-v1"}\nr,l,t\n-500.0,500,4.5\n-186.0,187,9.25\n',
        {
          r: [
            [0, 1_614_619_332_830, -500],
            [1, 1_614_619_337_580, -186],
          ],
          l: [
            [0, 1_614_619_332_830, 500],
            [1, 1_614_619_337_580, 187],
          ],
        },
      ],
      [
        "wandb.csv",
        '"Step","run-1 - loss","run-1 - loss__MIN"\n"0","2.5","2.5"\n"1","2.25",""\n',
        {
          "run-1 - loss": [
            [0, base + 1, 2.5],
            [1, base + 2, 2.25],
          ],
          "run-1 - loss__MIN": [[0, base + 1, 2.5]],
        },
      ],
      [
        "pandas.csv",
        ",loss,ok,name\n0,0.5,True,a\n1,0.25,False,b\n",
        {
          loss: [
            [0, base + 1, 0.5],
            [1, base + 2, 0.25],
          ],
          ok: [
            [0, base + 1, 1],
            [1, base + 2, 0],
          ],
        },
      ],
      [
        "semicolons.csv",
        "\ufeff# a comment\r\nStep;perte/\u00e9;time\r\n5;0.5;1.5\r\n",
        { "perte/%C3%A9": [[5, base + 1_500, 0.5]], time: [[5, base + 1_500, 1.5]] },
      ],
      [
        "dates.tsv",
        "iteration\ttimestamp\tloss\n1\t2024-01-01 00:00:10\t3\n",
        { loss: [[1, base + 10_000, 3]] },
      ],
      [
        "keras.csv",
        "epoch,accuracy\n0,0.5\n1,0.75\n",
        {
          accuracy: [
            [0, base + 1, 0.5],
            [1, base + 2, 0.75],
          ],
        },
      ],
    ];
    for (const [name, content, expected] of files) {
      const path = await write(name, content);
      const told = await imported("--wide", path);
      assert.equal(told.code, 0, told.text);
      assert.match(told.text, /the step is /);
      const slug = name.replace(/\.[ct]sv$/, "");
      assert.deepEqual(await points(slug), expected, name);
      assert.match((await imported("--wide", path)).text, / 0 new points/);
    }
  });

  test("a column that is named, cells that are no numbers, and rows that come later", async () => {
    const text = "time,updates,loss,state\n1,100,2,warm\n2,200,x,hot\n3,300,nan,hot\nx\n";
    const path = await write("named.csv", text);
    assert.match(
      (await imported("--wide", path, "--step-column", "u")).text,
      /no column u; the columns/,
    );
    const told = await imported("--wide", path, "--step-column", "updates");
    assert.equal(told.code, 1);
    assert.match(
      told.text,
      /the step is the column updates, the time the column time; left out, because they have no n/,
    );
    assert.match(told.text, /named\.csv:3: loss must be a number, not x/);
    assert.match(told.text, /named\.csv:5: has 1 column, the header has 4/);
    assert.match(told.text, /4 new points, 0 already stored, 1 not finite, 2 wrong rows/);
    // Columns may come later, as Lightning writes its file anew.
    await write(
      "named.csv",
      `time,updates,new,loss,state\n1,100,,2,warm\n2,200,,x,hot\n3,300,,nan,hot\nx\n4,400,7,1,cold\n`,
    );
    assert.match(
      (await imported("--wide", path, "--step-column", "updates")).text,
      /3 new points, 4 already stored/,
    );
    const found = await points("named");
    assert.deepEqual(found["new"], [[400, base + 4_000, 7]]);
    assert.deepEqual(await values("named"), [2, 1]);
  });
});
