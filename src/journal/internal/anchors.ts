/**
 * How far the journal had come, kept outside it in two places: a file of the project and the user's ledger of all
 * journals. Both may be behind the journal (a kill between two writes), never ahead of it and never beside its chain:
 * then something was cut off, set back or replaced. What is missing or unreadable where it must be is as bad. From
 * then on nothing is written until a user accepts it, which is itself a signed fact.
 */
import { canonicalJson, SylkError, writeFileAtomic, type Clock } from "../../kernel/index.ts";
import path from "node:path";
import { AnchorLedger, type LedgerOptions } from "./anchor-ledger.ts";
import { HeadMarkFile, type HeadMark } from "./head-mark.ts";
import { readAnchorFile, type AnchorRow, type Kept } from "./anchor-row.ts";
import { readStatement, signatureValid, type SignatureRow, type Signer } from "./signatures.ts";

export interface AnchorOptions {
  /** Holds the newest statement outside the database. */
  anchorFile: string;
  /** The second place; absent: there is only one. */
  ledger?: LedgerOptions | undefined;
}

export interface AnchorProblem {
  kind: "anchor_missing" | "anchor_unreadable" | "anchor_off_chain" | "truncated" | "bad_signature";
  message: string;
  position?: number | undefined;
}

export interface Place {
  name: string;
  kept: Kept;
}

function rowOf(signed: SignatureRow): AnchorRow {
  return { ...signed, signature: Buffer.from(signed.signature).toString("base64") };
}

export class Anchors {
  private readonly file: string;
  private readonly ledger: AnchorLedger | undefined;
  private readonly signer: Signer;
  private readonly publicKey: string;
  private readonly mark: HeadMarkFile;

  constructor(options: AnchorOptions, signer: Signer, publicKey: string, clock: Clock) {
    this.file = options.anchorFile;
    this.ledger = options.ledger === undefined ? undefined : new AnchorLedger(options.ledger, clock);
    this.signer = signer;
    this.publicKey = publicKey;
    this.mark = new HeadMarkFile(path.join(path.dirname(options.anchorFile), "head.json"));
  }

  /** What the places say, read before the journal is looked at: whoever writes meanwhile only moves on from there. */
  look(): Place[] {
    return [
      { name: this.file, kept: readAnchorFile(this.file) },
      ...(this.ledger === undefined ? [] : [{ name: this.ledger.place, kept: this.ledger.read() }]),
    ];
  }

  judge(places: readonly Place[]): AnchorProblem[] {
    const last = this.signer.lastRow();
    // Journals of before had one place at most; from the first statement of the new kind on there are two.
    const must =
      (last !== undefined && isAnchored(last.statement)) ||
      places.some(({ kept }) => kept.kind === "kept" && kept.row.number > 0 && isAnchored(kept.row.statement));
    const found = [...places.flatMap((place) => this.judgePlace(place, must) ?? []), ...this.judgeOwn(last)];
    return found.length > 0 ? found : this.judgeHead(this.mark.read());
  }

  /** What was written since the last signature. */
  private judgeHead(mark: HeadMark | undefined): AnchorProblem[] {
    if (mark === undefined) return [];
    const head = this.signer.head();
    const cut = mark.position > head;
    if (!cut && this.signer.hashAt(mark.position) === mark.hash) return [];
    const message = cut
      ? `the journal had come to position ${mark.position}, it ends at ${head}`
      : `the event at position ${mark.position} is not the one that was written there`;
    return [{ kind: cut ? "truncated" : "anchor_off_chain", message, position: cut ? head + 1 : mark.position }];
  }

  /** After every commit of events. */
  markHead(mark: HeadMark): void {
    this.mark.write(mark);
  }

  /** What the journal's own newest statement says against it; the rest takes a whole verification. */
  private judgeOwn(last: SignatureRow | undefined): AnchorProblem[] {
    if (last === undefined) return [];
    if (last.public_key !== this.publicKey || !signatureValid(last))
      return [{ kind: "bad_signature", message: "the journal's newest statement is not signed by this installation" }];
    const to = readStatement(last.statement)?.to ?? 0;
    const head = this.signer.head();
    return to <= head
      ? []
      : [
          {
            kind: "truncated",
            message: `the journal's newest statement says it reached position ${to}, it ends at ${head}`,
            position: head + 1,
          },
        ];
  }

  private judgePlace({ name, kept }: Place, must: boolean): AnchorProblem | undefined {
    if (kept.kind === "unreadable")
      return { kind: "anchor_unreadable", message: `${name}, which says how far the journal came, cannot be read: ${kept.why}` };
    if (kept.kind === "missing")
      return must ? { kind: "anchor_missing", message: `${name} does not say any more how far the journal came` } : undefined;
    const { row } = kept;
    const said = readStatement(row.statement);
    if (
      said === undefined ||
      row.public_key !== this.publicKey ||
      !signatureValid({ ...row, signature: Buffer.from(row.signature, "base64") })
    )
      return { kind: "anchor_unreadable", message: `what ${name} says about how far the journal came is not signed by this installation` };
    if (row.number === 0) return said.to === 0 ? undefined : { kind: "anchor_off_chain", message: `${name} does not say what it signed` };
    const own = this.signer.row(row.number);
    if (own?.statement === row.statement) return undefined;
    const last = this.signer.lastRow();
    if (row.number <= (last?.number ?? 0))
      return { kind: "anchor_off_chain", message: `the signed statement in ${name} is not among the journal's own` };
    const to = readStatement(last?.statement ?? "")?.to ?? 0;
    return {
      kind: "truncated",
      message: `${name} holds a signed statement that the journal reached position ${said.to}; its own statements end at ${to}`,
      position: to + 1,
    };
  }

  /** Before the first statement of the new kind is committed both places hold something, so that their loss can be told from a beginning. */
  begin(): void {
    const row = rowOf(this.signer.lastRow() ?? this.signer.genesis());
    for (const place of this.look())
      if (place.kept.kind === "missing") {
        if (place.name === this.file) this.writeFile(row, true);
        else this.ledger?.write(row, { anew: false });
      }
  }

  /** After a commit. Only ever forwards; what stands there and does not fit was found when the journal was opened. */
  advance({ sync, anew = false }: { sync: boolean; anew?: boolean }): void {
    const last = this.signer.lastRow();
    if (last === undefined) return;
    const row = rowOf(last);
    const known = readAnchorFile(this.file);
    if (anew || (known.kind === "kept" && known.row.number < row.number)) this.writeFile(row, sync);
    this.ledger?.write(row, { anew });
  }

  private writeFile(row: AnchorRow, sync: boolean): void {
    writeFileAtomic(this.file, canonicalJson(row), { mode: 0o600, sync });
  }

  close(): void {
    this.mark.close();
    this.ledger?.close();
  }
}

function isAnchored(statement: string): boolean {
  return (readStatement(statement)?.v ?? 1) >= 2;
}

/** Why nothing is written any more, and what helps. */
export function anchorRefusal(file: string, problems: readonly AnchorProblem[]): SylkError {
  return new SylkError({
    code: "JOURNAL_ANCHOR_LOST",
    tier: "user_fixable",
    message: `nothing is written to ${file}: ${problems.map(({ message }) => message).join("; ")}`,
    fix: '`sylk journal verify` tells what is there and what is missing; restore the missing file or database from a backup, or go on from what is there with `sylk journal accept --reason "…"`',
    details: { problems: problems.map(({ kind }) => kind) },
  });
}
