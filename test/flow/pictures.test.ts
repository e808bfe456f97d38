/** Pictures that a user names: kept as they were, sent in each provider's own form at every step, never dropped in silence. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { keepPictures } from "../../src/workspace/index.ts";
import { tempDir } from "../support/temp.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { startWireServer, type WireServer } from "../support/wire-server/wire-server.ts";
import { PNG } from "./pictures.ts";

const never = new AbortController().signal;

const GIF = Buffer.from("R0lGODlhAwACAPAAAP8AAAAAACH5BAAAAAAALAAAAAADAAIAAAIChF8AOw==", "base64");

const WORDS = { type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: [] };

interface Asked {
  project: ScriptedProject;
  server: WireServer;
  start(goal: string, more?: { pictures?: string[]; model?: string }): Promise<string>;
  run(id: string): Promise<{ status: string }>;
  context(id: string): Promise<{ user: string; sections: Record<string, number> }>;
}

async function asked(kind: string, images: boolean): Promise<Asked> {
  const project = scriptedProject({ "a.txt": "one\n" }, script([]));
  mkdirSync(path.join(project.dir, "shots"));
  writeFileSync(path.join(project.dir, "shots/first shot.png"), PNG);
  const server = await startWireServer(() => ({
    text: "so",
    toolCalls: [
      {
        name: server.requests.length < 2 ? "read_file" : "escalate",
        input: server.requests.length < 2 ? { path: "a.txt" } : { reason: "seen" },
      },
    ],
  }));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const providers = { wire: { kind, base_url: `${server.url}${kind === "google" ? "/v1beta" : "/v1"}`, api_key: "k" } };
  mkdirSync(path.join(project.base, "home"), { recursive: true });
  writeFileSync(path.join(project.base, "home/config.yaml"), stringify({ llm: { providers, catalogue: { "wire/m": { images } } } }));
  const app = await project.open();
  onTestFinished(() => app.close());
  return {
    project,
    server,
    start: async (goal, more = {}) => {
      const { id } = await app.api.send({
        type: "task.start",
        options: { ...WORDS, goal, model: "wire/m", profile: "minimal", discover_checks: false, ...more },
      });
      return id;
    },
    run: (id) => app.tasks.run(id, () => undefined, never),
    context: (id) => app.tasks.context(id),
  };
}

test.each([
  ["anthropic", PNG.toString("base64")],
  ["openai", `data:image/png;base64,${PNG.toString("base64")}`],
  ["openai-chat", `data:image/png;base64,${PNG.toString("base64")}`],
  ["google", PNG.toString("base64")],
])("a picture named with @ is sent to %s at every step, also when its file is gone by then", async (kind, sent) => {
  const { project, server, start, run, context } = await asked(kind, true);
  const id = await start('make it look like @"shots/first shot.png"');
  rmSync(path.join(project.dir, "shots"), { recursive: true });
  expect((await run(id)).status).toBe("escalated");
  expect(server.requests.map(({ body }) => JSON.stringify(body).split(sent).length - 1)).toEqual([1, 1]);
  const { user, sections } = await context(id);
  expect(user).toContain("- first shot.png, 2 × 1");
  expect(sections["task_frame"]).toBeGreaterThan(85);
});

test("where the model takes none it is said before anything begins, and nothing is written", async () => {
  const { server, start } = await asked("openai-chat", false);
  await expect(start('like @"shots/first shot.png"')).rejects.toMatchObject({
    code: "MODEL_TAKES_NO_PICTURES",
    fix: expect.stringContaining("llm.catalogue.<model>.images") as string,
  });
  expect(server.requests).toEqual([]);
});

test("from outside the project only an option brings one, whatever the words say; links out, secrets' places and what only looks like one are refused", async () => {
  const { project, server, start, run } = await asked("openai-chat", true);
  const outside = path.join(project.base, "drop ped.gif");
  writeFileSync(outside, GIF);
  await run(await start("look", { pictures: [outside] }));
  expect(JSON.stringify(server.requests[0]?.body)).toContain(GIF.toString("base64"));
  server.requests.length = 0;
  const words = `an issue says ${outside} and @${outside.replaceAll(" ", "\\ ")} and @"${outside}" and ~/x.png, mail a@b.png, @gone.png`;
  await run(await start(words));
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain("data:image");
  symlinkSync(project.base, path.join(project.dir, "docs"));
  await expect(start('like @"docs/drop ped.gif"')).rejects.toThrow("leads out of the project");
  const fake = path.join(project.dir, "fake.png");
  writeFileSync(fake, "no picture at all, whatever it is called\n");
  await expect(start("look", { pictures: [fake] })).rejects.toMatchObject({ code: "PICTURE_UNUSABLE" });
  await expect(start("look", { pictures: [path.join(project.dir, "none.png")] })).rejects.toThrow("is not there");
  mkdirSync(path.join(project.base, ".ssh"));
  writeFileSync(path.join(project.base, ".ssh/totp.png"), PNG);
  await expect(start("look", { pictures: [path.join(project.base, ".ssh/totp.png")] })).rejects.toThrow("where secrets are kept");
  writeFileSync(fake, Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]));
  await expect(start("look", { pictures: [fake] })).rejects.toThrow("larger than 5 MB");
});

test("what a picture is and how large tells its first bytes", async () => {
  const webp = (kind: string, ...rest: number[]): Buffer =>
    Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${kind}`, "latin1"), Buffer.from(rest), Buffer.alloc(32)]);
  const jpeg = Buffer.from([
    0xff,
    0xd8,
    0xff,
    0xe0,
    0,
    4,
    0,
    0,
    0xff,
    0xc2,
    0,
    11,
    8,
    1,
    2,
    3,
    4,
    1,
    1,
    0x11,
    0,
    ...Array<number>(16).fill(0),
  ]);
  const folder = tempDir("pictures");
  const keep = (bytes: Buffer, at: number) => {
    const file = path.join(folder, `picture-${at}`);
    writeFileSync(file, bytes);
    const blobs = { put: () => Promise.resolve("blob:sha256:00" as const) };
    return keepPictures({ blobs, words: "", projectDir: folder, more: [file], model: "m", takes: () => true });
  };
  const found = await Promise.all(
    [PNG, GIF, jpeg, webp("VP8X", 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 4, 0, 0), webp("VP8 ", ...Array<number>(10).fill(0), 7, 0, 5, 0)].map(
      async (bytes, at) => (await keep(bytes, at)).map(({ media_type, width, height }) => ({ media_type, width, height })),
    ),
  );
  expect(found.flat()).toEqual([
    { media_type: "image/png", width: 2, height: 1 },
    { media_type: "image/gif", width: 3, height: 2 },
    { media_type: "image/jpeg", width: 772, height: 258 },
    { media_type: "image/webp", width: 10, height: 5 },
    { media_type: "image/webp", width: 7, height: 5 },
  ]);
  await expect(keep(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='3'/>"), 8)).rejects.toThrow("no picture that can be read");
  await expect(keep(PNG.subarray(0, 20), 9)).rejects.toThrow("no picture that can be read");
});
