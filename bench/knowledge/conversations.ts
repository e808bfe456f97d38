/**
 * Makes long conversations of several sessions: dates, several speakers, facts that change, small talk,
 * and questions whose words are not the answer's. The same seed gives the same conversation.
 */
import type { HistoryEntry } from "../../src/knowledge/store/history-writer.ts";

export interface Question {
  text: string;
  /** Ids of the turns that answer it. */
  evidence: string[];
}

export interface Conversation {
  entries: HistoryEntry[];
  questions: Question[];
}

const NAMES = ["Priya", "Marcus", "Elena", "Tobias", "Yuki", "Amara", "Stefan", "Noor"];

/** Said, and asked for; `{x}` is filled in. A second saying replaces the first some sessions later. */
const FACTS: readonly { lead: string; say: string; fill: readonly string[]; ask: readonly string[]; changes?: string }[] = [
  {
    lead: "Any news at the office?",
    say: "I finally signed with {x}, I begin there on Monday.",
    fill: ["Northwind Labs", "the city hospital", "a small bakery"],
    ask: ["Where is {n} employed?", "Which employer did {n} join?"],
    changes: "That did not last: I resigned and now I am with {x} instead.",
  },
  {
    lead: "How is everyone at home?",
    say: "My daughter {x} lost her first tooth yesterday!",
    fill: ["Mira", "Lotte", "Zoe"],
    ask: ["What is {n}'s child called?"],
  },
  {
    lead: "What did you do at the weekend?",
    say: "We pitched our tent by {x} and told stories around the fire.",
    fill: ["Lake Alder", "the Pine Ridge trail", "Cold Creek"],
    ask: ["Where did {n} go camping?"],
  },
  {
    lead: "You look tired.",
    say: "I have been up at five every day getting ready for the {x}.",
    fill: ["harbour marathon", "alpine half marathon", "charity 10k"],
    ask: ["Which race is {n} training for?"],
  },
  {
    lead: "Still thinking about a dog?",
    say: "We went to the shelter and came home with {x}, a three-legged terrier.",
    fill: ["Biscuit", "Pepper", "Waffle"],
    ask: ["What pet did {n} adopt?", "What is the name of {n}'s animal?"],
  },
  {
    lead: "How was the doctor?",
    say: "She says I must stay away from {x} from now on, or I break out in a rash.",
    fill: ["peanuts", "shellfish", "strawberries"],
    ask: ["What is {n} allergic to?"],
  },
  {
    lead: "What are you reading these days?",
    say: "I could not put {x} down, I finished it in two nights.",
    fill: ["The Salt Road", "A Quiet Orbit", "Glass Rivers"],
    ask: ["Which novel did {n} enjoy?"],
  },
  {
    lead: "Did the apartment work out?",
    say: "Yes, the keys are ours; boxes everywhere in {x}.",
    fill: ["Lisbon", "Utrecht", "Gdansk"],
    ask: ["Which city does {n} live in?", "Where did {n} relocate to?"],
    changes: "The rent went up again, so we packed everything and are in {x} now.",
  },
  {
    lead: "What got you into music?",
    say: "My grandfather left me his old {x} and I practise every evening.",
    fill: ["cello", "accordion", "clarinet"],
    ask: ["What instrument does {n} play?"],
  },
  {
    lead: "How do you unwind?",
    say: "Throwing clay on the wheel; last week I made {x}.",
    fill: ["a blue teapot", "six lopsided bowls", "a tall vase"],
    ask: ["What did {n} create in the pottery class?", "What hobby helps {n} relax?"],
  },
  {
    lead: "Is the car fixed?",
    say: "No, I gave up on it and picked up {x} from a neighbour.",
    fill: ["a used Corolla", "an electric scooter", "an old pickup"],
    ask: ["What vehicle did {n} buy?"],
  },
  {
    lead: "What is for dinner on your birthday?",
    say: "There is only one thing I ask for every year: {x}.",
    fill: ["mushroom lasagne", "lamb biryani", "pumpkin dumplings"],
    ask: ["What is {n}'s favourite meal?"],
  },
  {
    lead: "How did the talk go?",
    say: "My hands shook, but the room stood up and clapped after I spoke about {x}.",
    fill: ["coral reefs", "bridge inspections", "refugee schools"],
    ask: ["What was the topic of {n}'s presentation?"],
  },
  {
    lead: "Are you two serious now?",
    say: "We set the date: we tie the knot on {x}.",
    fill: ["the ninth of June", "the first Saturday of September", "New Year's Eve"],
    ask: ["When is {n}'s wedding?"],
    changes: "We had to push it back; the new date is {x}.",
  },
  {
    lead: "What about your studies?",
    say: "I enrolled in the evening course on {x}.",
    fill: ["structural geology", "sign language", "bookkeeping"],
    ask: ["What is {n} learning at school?"],
  },
  {
    lead: "Any travel plans?",
    say: "Tickets are booked, we fly to {x} in spring.",
    fill: ["Patagonia", "Hokkaido", "Iceland"],
    ask: ["What is {n}'s vacation destination?"],
  },
];

const CHATTER: readonly string[] = [
  "That sounds wonderful!",
  "Ha, I know the feeling.",
  "Wow, tell me more.",
  "I am so glad to hear that.",
  "Same here, this week was long.",
  "The weather has been awful, hasn't it?",
  "Did you watch the game on Sunday?",
  "I need another coffee before I answer that.",
  "My phone died in the middle of a call, sorry.",
  "Let us catch up properly soon.",
  "You always know what to say.",
  "The neighbours are renovating again, the noise is terrible.",
  "I went for a walk by the river after work.",
  "My sister called and talked for an hour.",
  "We tried the new restaurant on the corner, it was fine.",
  "I could use a holiday.",
  "Work keeps piling up and the deadline moved again.",
  "I bought flowers at the market.",
  "Have a good night, talk soon!",
  "Thanks, that means a lot to me.",
];

function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function makeConversation(seed: number, sessions = 20): Conversation {
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const first = pick(NAMES);
  const pair = [first, pick(NAMES.filter((name) => name !== first))];
  const said: { session: number; speaker: string; lead: string; text: string; fact: string }[] = [];
  const questions: { text: string; fact: string }[] = [];
  for (const [i, fact] of FACTS.entries()) {
    for (const speaker of pair) {
      if (next() < 0.25) continue;
      const id = `${i}:${speaker}`;
      const when = Math.floor(next() * (sessions - 6));
      said.push({ session: when, speaker, lead: fact.lead, text: fact.say.replace("{x}", pick(fact.fill)), fact: id });
      if (fact.changes !== undefined)
        said.push({
          session: when + 3 + Math.floor(next() * 3),
          speaker,
          lead: "And what is new with you?",
          text: fact.changes.replace("{x}", pick(fact.fill)),
          fact: id,
        });
      questions.push({ text: pick(fact.ask).replace("{n}", speaker), fact: id });
      // One in its own words: the kind BM25 is made for.
      const word = (fact.say.match(/[a-z]{5,}/gu) ?? ["that"]).toSorted((a, b) => b.length - a.length)[0] as string;
      questions.push({ text: `What was it that ${speaker} said about "${word}"?`, fact: id });
    }
  }
  const entries: HistoryEntry[] = [];
  const evidence = new Map<string, string[]>();
  let day = Date.UTC(2024, 0, 8, 18);
  for (let session = 0; session < sessions; session += 1) {
    day += (3 + Math.floor(next() * 9)) * 86_400_000;
    let place = 0;
    const say = (speaker: string, text: string): string => {
      place += 1;
      const id = `D${session + 1}:${place}`;
      entries.push({
        id,
        externalId: id,
        thread: `session-${session + 1}`,
        author: speaker,
        at: day + place * 60_000,
        text,
        kind: "history_entry",
      });
      return id;
    };
    const here = said.filter((one) => one.session === session);
    for (const one of here) {
      const other = pair.find((name) => name !== one.speaker) as string;
      for (let i = 0; i < 2 + Math.floor(next() * 4); i += 1) say(pair[i % 2] as string, pick(CHATTER));
      say(other, one.lead);
      evidence.set(one.fact, [...(evidence.get(one.fact) ?? []), say(one.speaker, one.text)]);
      say(other, pick(CHATTER));
    }
    for (let i = 0; i < 6; i += 1) say(pair[i % 2] as string, pick(CHATTER));
  }
  return { entries, questions: questions.map(({ text, fact }) => ({ text, evidence: evidence.get(fact) as string[] })) };
}

const THINGS = [
  "the build",
  "the deploy",
  "that ticket",
  "the design",
  "the test run",
  "the report",
  "the room",
  "the calendar",
  "the demo",
];
const STATES = ["looks fine", "is still open", "moved to tomorrow", "needs another look", "was closed", "passed in the end", "can wait"];

/** Sittings in which nothing is said that anyone asks about. */
export function makeSmallTalk(names: readonly string[], sittings: number): HistoryEntry[] {
  return Array.from({ length: sittings * 10 }, (_, i): HistoryEntry => {
    const sitting = Math.floor(i / 10);
    return {
      id: `small-${i}`,
      externalId: `small-${i}`,
      thread: `small-talk-${sitting}`,
      author: names[i % names.length] as string,
      at: Date.UTC(2023, 0, 4, 9) + sitting * 29 * 86_400_000 + (i % 10) * 60_000,
      text: `${THINGS[(i * 7) % THINGS.length] as string} ${STATES[(i * 5 + sitting) % STATES.length] as string}`,
      kind: "history_entry",
    };
  });
}
