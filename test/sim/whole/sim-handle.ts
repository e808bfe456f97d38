/** An open file of a life. */
import type { ReadPosition, Stats } from "node:fs";
import type { Life } from "../timeline.ts";
import { real, type SystemFate } from "./system-fate.ts";

export class SimHandle {
  readonly fd: number;
  readonly #file: string;
  readonly #life: Life;
  readonly #fate: SystemFate;
  #isOpen = true;

  constructor(fd: number, file: string, life: Life, fate: SystemFate) {
    this.fd = fd;
    this.#file = file;
    this.#life = life;
    this.#fate = fate;
  }

  #change<T>(call: string, grows: boolean, work: () => T): Promise<T> {
    return this.#fate.change(this.#life, { call, file: this.#file, grows }, work);
  }

  stat(): Promise<Stats> {
    return Promise.resolve(real.fstatSync(this.fd));
  }

  readFile(options?: BufferEncoding | { encoding?: BufferEncoding }): Promise<string | Buffer> {
    const remembered = this.#fate.remembered(this.#file);
    if (remembered !== undefined) return Promise.resolve(remembered);
    return Promise.resolve(real.readFileSync(this.fd, { encoding: (typeof options === "string" ? options : options?.encoding) ?? null }));
  }

  read(buffer: Buffer, offset: number, length: number, position: ReadPosition | null): Promise<{ bytesRead: number; buffer: Buffer }> {
    return Promise.resolve({ bytesRead: real.readSync(this.fd, buffer, offset, length, position), buffer });
  }

  write(data: string | Buffer): Promise<{ bytesWritten: number }> {
    return this.#change("write", true, () => ({ bytesWritten: real.writeSync(this.fd, data as string) }));
  }

  writeFile(data: string | Buffer): Promise<void> {
    return this.#change("write", true, () => real.writeFileSync(this.fd, data));
  }

  chmod(mode: number): Promise<void> {
    return this.#change("chmod", false, () => real.fchmodSync(this.fd, mode));
  }

  sync(): Promise<void> {
    return this.#change("sync", false, () => real.fsyncSync(this.fd));
  }

  close(): Promise<void> {
    if (this.#isOpen) real.closeSync(this.fd);
    this.#isOpen = false;
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
