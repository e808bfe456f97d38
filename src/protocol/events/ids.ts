/** Names that events share. A session, a task and a run each have their own field. */

/** Until there are sessions, everything happens in this one. */
export const DEFAULT_SESSION = "default";
