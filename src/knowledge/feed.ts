/**
 * Feeds knowledge from the journal and from what agents remember. Everything that enters was kept there first,
 * so a rebuild reads it again, and reading it twice changes nothing.
 */
import { canonicalJson, unreachable, SylkError } from "../kernel/index.ts";
import type { BlobRef, Store } from "../journal/index.ts";
import { EVENTS, decode, type JournalEvent, type Payload } from "../protocol/events/index.ts";
import { parseHistoryLines, redactHistoryLines } from "./history-import.ts";
import { journalHistory } from "./journal-history.ts";
import type { Knowledge } from "./knowledge.ts";
import { rememberedHistory } from "./remembered-history.ts";
import type { DocumentReport, StoredEntry } from "./ingest/entry-writer.ts";

export interface FeedParts {
  knowledge: () => Knowledge;
  memoryDir: () => string;
  redact: (text: string) => string;
}

export interface Feed {
  /** One event as the index has it. */
  ingest(event: JournalEvent, store: Store): Promise<StoredEntry | DocumentReport | number | undefined>;
  /** Whatever the journal holds that is worth finding again and was not read yet. */
  followJournal(store: Store, signal: AbortSignal): Promise<void>;
  /** Agents' sidecars are files that people edit too: read as they are, taken up when they changed. */
  followMemory(): Promise<void>;
  /** The index was emptied. */
  forget(): void;
}

/** What a task did to a file, as a link from its entry to the file (VGD-090). */
const CHANGES: Readonly<Record<string, Payload<"knowledge.linked">["type"]>> = { create: "created", delete: "deleted" };
const PAGE = 500;

async function textOf(store: Store, ref: string): Promise<string> {
  return Buffer.from(await store.blobs.get(ref as BlobRef)).toString("utf8");
}

export function createFeed({ knowledge, memoryDir, redact }: FeedParts): Feed {
  const linkChanges = async (event: JournalEvent): Promise<void> => {
    if (!EVENTS.task.acted.is(event) || event.payload.files.length === 0) return;
    const links = event.payload.files.map(({ operation, path: file }) => ({
      source: `journal:${event.id}`,
      target: file,
      type: CHANGES[operation] ?? ("modified" as const),
    }));
    await knowledge()
      .entries()
      .link(...links);
  };

  const ingest: Feed["ingest"] = async (happened, store) => {
    const event = decode(EVENTS.knowledge, happened);
    switch (event?.type) {
      case "knowledge.history_imported": {
        const { name, content } = event.payload;
        // What was imported before it was redacted on the way in is redacted here.
        const lines = redactHistoryLines(await textOf(store, content), name, redact);
        return knowledge().addHistory(`import:${name}`, parseHistoryLines(lines, name));
      }
      case "knowledge.summary_stored":
        return knowledge().entries().summary(event.payload, event.at);
      case "knowledge.document_stored": {
        const { slug, title, type, url, content } = event.payload;
        const document = { slug, title, type, url: url ?? undefined, text: await textOf(store, content) };
        return knowledge().entries().document(document, event.at);
      }
      case "knowledge.linked":
        await knowledge()
          .entries()
          .link({ ...event.payload, weight: event.payload.weight ?? undefined });
        return undefined;
      case "knowledge.conflict_settled":
        await knowledge().settle(event.payload, event.at);
        return undefined;
      case undefined:
        await linkChanges(happened);
        return undefined;
      default:
        return unreachable(event);
    }
  };

  let remembered: string | undefined;
  return {
    ingest,
    async followJournal(store, signal) {
      for (let after = knowledge().journalPosition(); ;) {
        signal.throwIfAborted();
        const events = await store.journal.readAll({ after, limit: PAGE });
        for (const event of events) {
          try {
            await ingest(event, store);
          } catch (error) {
            // Whoever asked for a link that cannot be was told so then; it must not keep out all that came after.
            if (!SylkError.is(error, "KNOWLEDGE_BAD_LINK")) throw error;
          }
        }
        const last = events.at(-1);
        if (last !== undefined) await knowledge().addHistory("journal", journalHistory(events), last.position);
        if (last === undefined || events.length < PAGE) return;
        after = last.position;
      }
    },
    async followMemory() {
      const entries = rememberedHistory(memoryDir(), redact);
      const now = canonicalJson(entries);
      if (now === remembered) return;
      await knowledge().replaceHistory("memory", entries);
      remembered = now;
    },
    forget: () => (remembered = undefined),
  };
}
