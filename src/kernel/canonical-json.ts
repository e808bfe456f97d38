/**
 * Canonical JSON (RFC 8785): sorted keys, no white space, ECMAScript number form. Two equal values
 * always give the same bytes, so hashes over it are stable across processes and versions.
 */
import { SylkError } from "./errors.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function refuse(what: string): never {
  throw new SylkError({ code: "JSON_NOT_PLAIN", tier: "permanent", message: `value cannot be written as canonical JSON: ${what}` });
}

/** Most strings need no escaping, and finding that out is cheaper than escaping them. */
const PLAIN = /^[\w ./:@#+=,;!?()<>{}[\]|~$%^&*'`-]*$/;

/** A string as JSON. */
function quoted(text: string): string {
  if (text.length < 64 && PLAIN.test(text)) return `"${text}"`;
  return JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());
}

export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : refuse(String(value));
    case "boolean":
      return value ? "true" : "false";
    case "object": {
      if (value === null) return "null";
      if (Array.isArray(value)) {
        let list = "[";
        for (let i = 0; i < value.length; i += 1) list += (i === 0 ? "" : ",") + canonicalJson(value[i] === undefined ? null : value[i]);
        return `${list}]`;
      }
      const proto: unknown = Object.getPrototypeOf(value);
      if (proto !== Object.prototype && proto !== null) refuse(value.constructor?.name ?? "object");
      const record = value as Record<string, unknown>;
      const keys = Object.keys(record);
      if (keys.length > 1) keys.sort();
      let out = "{";
      for (const key of keys) {
        const item = record[key];
        if (item === undefined) continue;
        out += `${out.length === 1 ? "" : ","}${quoted(key)}:${canonicalJson(item)}`;
      }
      return `${out}}`;
    }
    default:
      return refuse(typeof value);
  }
}
