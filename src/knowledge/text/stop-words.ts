/** Words that say how something is asked, not what is asked for. Stemmed like everything else. */
import { stem } from "./stem.ts";

const WORDS =
  "a an and are as at be been being but by can could did do does doing done for from had has have having he her here him his how i if in into is it its just may me might more most my no nor not of off on once only or other our out over own same she should so some such than that the their them then there these they this those through to too under until up us very was we were what when where which while who whom whose why will with would you your yours am about after again all also any because before between both during each few further s t don didn doesn isn wasn won ll re ve m d let lets please via per";

export const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.split(" ").flatMap((word) => [word, stem(word)]));

/** Asking for code, these too carry nothing. */
export const CODE_STOP_WORDS: ReadonlySet<string> = new Set(
  "find show tell give explain code file files function method class implement implemented implementation located defined definition happen happens work works somewhere make makes use uses used using"
    .split(" ")
    .map(stem),
);
