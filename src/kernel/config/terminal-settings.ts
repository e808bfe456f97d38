/** What a user decides about their terminal; read by the surface that is drawn there. */
import { z } from "zod";

export const terminalSettings = z
  .strictObject({
    bell: z.boolean().default(true).describe("ring when a task needs you or has ended"),
    title: z.boolean().default(true).describe("tell in the window's title what a task does"),
    notify: z.boolean().default(true).describe("call you by bell and a note of the desktop when you are needed or it is over"),
    status_command: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe("your own line below the input of a session: this is run with JSON on stdin, its first line is shown; docs/terminal.md"),
    on_close: z
      .enum(["end", "detach"])
      .default("end")
      .describe("what runs when its terminal is closed: it ends and can be gone on with, or goes on by itself until it needs you"),
    screen: z
      .enum(["main", "full"])
      .default("main")
      .describe("where a session is drawn: below what the terminal holds already, or on a screen of its own that scrolls by itself"),
  })
  .prefault({});
