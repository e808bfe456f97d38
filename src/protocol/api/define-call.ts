/** What a command or a query is: what it takes and what it gives back, both plain JSON. */
import { z, type ZodType } from "zod";

export interface Call<Input extends ZodType = ZodType, Output extends ZodType = ZodType> {
  input: Input;
  output: Output;
}

export function defineCall<Input extends ZodType, Output extends ZodType>(input: Input, output: Output): Call<Input, Output> {
  return { input, output };
}

/** Of commands that only do. */
export const nothing = z.null();
/** Of those that need to know no more than their name. */
export const none = z.strictObject({});

export type Calls = Readonly<Record<string, Call>>;
export type InputOf<C extends Call> = z.input<C["input"]>;
export type ParsedOf<C extends Call> = z.output<C["input"]>;
export type OutputOf<C extends Call> = z.output<C["output"]>;
/** What a sender writes: the type, and beside it what that type takes. */
export type Sent<C extends Calls, T extends keyof C & string> = { type: T } & (InputOf<C[T]> extends Record<string, never>
  ? unknown
  : InputOf<C[T]>);
