/** `pictures.test.ts` goes on here with what takes longer. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";
import { answerByRules, useWire } from "../support/team-over-wire.ts";
import { startWireServer } from "../support/wire-server/wire-server.ts";
import { PNG } from "./pictures.ts";

test("a picture that a request names is shown to everybody who works on it", async () => {
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces);
  writeFileSync(path.join(project.dir, "shot.png"), PNG);
  const server = await startWireServer(answerByRules(project));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const model = useWire(project, server.url, { catalogue: { "wire/m": { images: true } } });
  const app = await project.open();
  onTestFinished(() => app.close());
  const { id } = await app.api.send({ type: "request.start", options: project.options({ words: "add loud as in @shot.png", model }) });
  expect((await app.api.send({ type: "request.run", id })).status).toBe("done");
  const without = server.requests.filter(({ body }) => !JSON.stringify(body).includes(PNG.toString("base64")));
  expect([server.requests.length > 5, without.length]).toEqual([true, 0]);
}, 600_000);
