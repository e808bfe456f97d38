/** What a user may choose from, without the schemas that hold it. */
export const SEARCH_DOMAINS = ["code", "history", "docs", "all"] as const;
export const USAGE_DIMENSIONS = ["session", "role", "model", "provider", "task", "pipeline", "day"] as const;
export const USAGE_PERIODS = ["day", "week", "month", "all"] as const;
export const COLLISION_CHOICES = ["overwrite", "rename", "cancel"] as const;
