/** Words the forge knows, as data. */
export const ACTION_VERBS: ReadonlySet<string> = new Set(
  (
    "add adjust aggregate analyse analyze annotate answer apply archive assemble assess audit automate back benchmark bootstrap build bump " +
    "calculate capture catalogue check choose classify clean collect combine compare compile compose compress compute configure connect convert " +
    "copy count cover create curate debug decide define delete deploy derive describe design detect determine diagnose diff document download " +
    "draft draw edit eliminate embed enforce enrich ensure estimate evaluate examine execute explain explore export expose extract fetch file " +
    "filter find fix flag format gather generate group guide handle harden help identify implement import improve index ingest inspect install " +
    "instrument integrate investigate isolate keep label launch lay lint list load localise localize log maintain make manage map mark measure " +
    "mend merge migrate model moderate monitor move name navigate normalise normalize optimise optimize orchestrate organise organize outline " +
    "package parse patch plan prepare present prevent price print prioritise prioritize process produce profile propose protect prove provide " +
    "provision prune publish query rank read rebase recommend reconcile record redact reduce refactor refine release remove rename render " +
    "repair replace report reproduce resolve respond restore restructure retrieve review revise rewrite roll rotate route run sanitise sanitize " +
    "scaffold scan schedule score scrape search secure select send serve set ship show sign simplify simulate size sketch sort specify split " +
    "stage standardise standardize start store stream structure style suggest summarise summarize support sync tag teach test time trace track " +
    "train transform translate triage troubleshoot tune turn type undo unify update upgrade upload validate vendor verify version visualise " +
    "visualize walk watch wrap write"
  ).split(" "),
);

export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and any are as at be been before by can could do does during each every for from get give given good had has have how i if in into is it its " +
    "just let like me more most my new nice no not of on one only or our out over please should skill skills so some such than that the their them then " +
    "there these they this those to too up us use used user users using very via was we well were what when where whether which while who will with would you your"
  ).split(" "),
);

/** Phrases that say nothing (check 8). */
export const FILLER: readonly string[] = [
  "it is important to note",
  "it's important to note",
  "it is worth noting",
  "in order to",
  "as an ai",
  "feel free to",
  "needless to say",
  "at the end of the day",
  "in today's world",
  "in conclusion",
  "as we all know",
  "please note that",
  "this skill will help you",
  "basically",
  "simply put",
];

/** Hosts that belong to nobody outside (check 13). */
export const INTERNAL_URL =
  /\bhttps?:\/\/(?:[\w.-]+\.(?:internal|corp|intranet|lan)|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2})(?=[:/\s)"'`]|$)/i;
export const PERSONAL_ADDRESS = /\b[\w.+-]{1,64}@(?!(?:[\w-]+\.)*example\.(?:com|org|net)\b)(?:[\w-]{1,63}\.)+[a-z]{2,24}\b/i;
