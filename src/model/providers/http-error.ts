/** A provider's refusal as HTTP tells it; what the classifier looks for, also inside causes. */
export class ProviderHttpError extends Error {
  readonly statusCode: number | undefined;
  readonly responseHeaders: Record<string, string>;
  readonly responseBody: string;

  constructor(init: { status: number | undefined; message: string; headers?: Record<string, string>; body?: string; cause?: unknown }) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = "ProviderHttpError";
    this.statusCode = init.status;
    this.responseHeaders = init.headers ?? {};
    this.responseBody = init.body ?? init.message;
  }
}
