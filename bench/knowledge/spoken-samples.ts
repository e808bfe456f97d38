/**
 * What people say and write elsewhere: a chat of very short turns, minutes of meetings, threads of issues.
 * Written by hand for this bench, with questions in the words of their answers and, more of them, in others.
 */
export interface Sample {
  name: string;
  /** A line `# thread date` begins a sitting; the others are `author: text`. */
  text: string;
  /** A question, and a part of each turn that answers it. */
  questions: readonly (readonly [question: string, ...answers: string[]])[];
}

export const SAMPLES: readonly Sample[] = [
  {
    name: "chat",
    text: `# general 2023-11-02T09:00
lena: morning
omar: hey
lena: did you push the thing
omar: which thing
lena: the retry patch for the uploader
omar: yep, merged last night
lena: nice
omar: it waits 3s between tries now
lena: ok
jun: standup in 5
# general 2023-11-06T14:10
jun: prod is down
omar: looking
lena: 502s everywhere
omar: disk full on node 4
jun: logs?
omar: yeah, debug logging was left on
lena: who turned it on
omar: me, friday, sorry
jun: rotate and restart
omar: done, back up at 14:25
# general 2023-11-14T10:00
lena: we need to pick a queue
jun: rabbit?
omar: i'd rather redis streams
lena: we already run redis
jun: fine
lena: ok going with that then
omar: +1
# random 2023-11-15T12:30
jun: lunch?
omar: thai place
lena: can't, dentist at 1
jun: ouch
lena: wisdom tooth
omar: good luck
# general 2023-12-01T09:05
jun: heads up, i'm off from the 18th
omar: where to
jun: osaka, visiting my parents
lena: enjoy
omar: who covers oncall
lena: i do
# general 2024-01-09T16:00
omar: streams keep dropping events under load
lena: hm
omar: consumer lag is huge
jun: told you, rabbit
lena: let's move then
omar: ok i'll migrate this week
# general 2024-02-20T11:00
lena: the invoice job ran twice
jun: cron overlap
omar: add a lock
jun: done, pg advisory lock
lena: customers got double mails
jun: apologies sent
# random 2024-03-03T18:00
omar: new keyboard arrived
lena: the split one?
omar: yes, wrists feel better already
jun: how much
omar: 280
lena: wow
# general 2024-03-11T09:30
jun: new hire starts monday
lena: name?
jun: priyanka, frontend
omar: great
jun: she sits with design first
# general 2024-04-02T10:15
lena: license audit: we can't ship the pdf lib
omar: agpl?
lena: yes
jun: swap for pdfkit
omar: 2 days work
lena: do it before the release on the 19th`,
    questions: [
      ["How long does the uploader wait before trying again?", "it waits 3s"],
      ["What caused the outage in November?", "disk full", "debug logging"],
      ["Who left verbose logs enabled?", "me, friday"],
      ["Which message broker did the team choose first?", "i'd rather redis", "ok going with that"],
      ["Why did they switch to RabbitMQ?", "streams keep dropping", "consumer lag"],
      ["Where is Jun travelling on vacation?", "osaka"],
      ["Who is responsible for on-call while Jun is away?", "i do"],
      ["How was the duplicate execution of the billing task prevented?", "pg advisory"],
      ["What did Omar buy for his hands?", "new keyboard", "wrists"],
      ["How expensive was the keyboard?", "280"],
      ["What is the name of the new colleague?", "priyanka"],
      ["Why must the PDF library be replaced?", "can't ship the pdf", "agpl?"],
      ["What health appointment did Lena have?", "dentist", "wisdom"],
      ["When did the service recover?", "back up at 14:25"],
      ["What happened to customers because of the invoice bug?", "double mails"],
      ["What did Omar say about the consumer lag?", "consumer lag"],
      ["Who mentioned a wisdom tooth?", "wisdom tooth"],
      ["Which keyboard arrived?", "new keyboard"],
      ["What was the retry patch for?", "retry patch"],
      ["Is the pdf lib agpl?", "agpl", "can't ship the pdf"],
      ["On which node was the disk full?", "disk full"],
      ["Who talked about visiting parents in Osaka?", "osaka"],
    ],
  },
  {
    name: "minutes",
    text: `# Board 2024-01-15T10:00
Sofia: Revenue for the quarter closed at 4.2 million, 6 percent under plan; the shortfall is almost entirely the Benelux region where two renewals slipped into February.
Henrik: Proposal to freeze hiring outside of support until the pipeline recovers. Agreed by all present.
Sofia: The office lease in Rotterdam ends in June. We will not extend it; staff there move to shared desks.
# Product 2024-01-22T10:00
Mei: The onboarding wizard loses a third of users at the step that asks for bank details. Research suggests that people want to look around first.
Tomasz: We will let people skip that step and ask again when they send the first payment.
Mei: Dark theme is the most requested item in the survey, ahead of the mobile app.
Tomasz: Mobile app stays out of scope this year.
# Infra 2024-02-05T10:00
Priit: Backups were restored in a drill: it took eleven hours against a goal of four. The dump is single threaded.
Ana: Action for Priit, parallel restore by the end of March.
Priit: Certificates for the partner gateway run out on the third of May; renewal needs a signature from their legal side.
# Board 2024-03-18T10:00
Henrik: Hiring freeze lifted for engineering, two seats.
Sofia: The bank raised our credit line to 1.5 million at a lower rate. 
Sofia: Benelux renewals are signed, both of them for two years.
# Product 2024-04-08T10:00
Tomasz: Since the skip was introduced completion went from 66 to 81 percent.
Mei: Accessibility review found that contrast on the charts fails; a fix is planned with the new palette.
Tomasz: We revisit the phone client after all, a partner pays for half of it.
# Infra 2024-04-22T10:00
Priit: Restore drill repeated, three hours and forty minutes.
Ana: The gateway papers came back signed on Friday, installed on Sunday night without interruption.
Priit: Costs for object storage doubled because old exports are never removed; a rule deletes them after ninety days from now on.`,
    questions: [
      ["Why were sales below target?", "Revenue for the quarter"],
      ["Did we decide to stop recruiting?", "freeze hiring", "Hiring freeze lifted"],
      ["What happens to the Dutch office?", "office lease in Rotterdam"],
      ["Where do users abandon sign-up?", "onboarding wizard"],
      ["What was changed in the registration flow and did it help?", "skip that step", "completion went"],
      ["What do customers ask for most?", "Dark theme"],
      ["Are we building a smartphone application?", "Mobile app stays", "phone client"],
      ["How long does disaster recovery take?", "eleven hours", "three hours and forty"],
      ["When do the SSL certificates expire?", "third of May"],
      ["Who has to speed up the restore?", "Action for Priit"],
      ["Did the lender change our loan conditions?", "credit line"],
      ["What accessibility problem was found?", "contrast on the charts"],
      ["Why did storage become more expensive?", "object storage doubled"],
      ["Were the contracts in Belgium and the Netherlands extended?", "renewals are signed"],
      ["Was there downtime when the certificate was replaced?", "installed on Sunday"],
      ["What was said of object storage and old exports?", "object storage doubled"],
      ["What about the lease in Rotterdam?", "lease in Rotterdam"],
      ["What came out of the restore drill?", "eleven hours", "three hours and forty"],
      ["Who brought up the dark theme in the survey?", "Dark theme"],
    ],
  },
  {
    name: "issues",
    text: `# issue-812 2022-05-03T10:00
kari-dev: Steps: create a zip with nothing in it, drag it onto the window. The app closes without any message. Version 2.3.1 on Fedora.
mbrandt: Confirmed on macOS as well. Stack ends in readCentralDirectory, we assume at least one record.
kari-dev: A zero length check before the loop makes it go away for me.
mbrandt: Thanks, released in 2.3.2.
# issue-845 2022-06-18T10:00
tovesen: After a night with about 40k files the process uses 9 GB. Restarting helps for a few hours.
mbrandt: Heap snapshot shows that listeners are added on each rescan and never removed.
tovesen: With the nightly build it stays at 300 MB. Closing.
# issue-901 2022-09-30T10:00
mbrandt: It is out of maintenance in April and blocks us from native fetch.
lio: We have customers on RHEL 8 that cannot move before summer.
mbrandt: Then we keep a 2.x branch with security fixes until July and go ahead on main.
# issue-933 2022-11-12T10:00
amelie: Looking for "resume" should also find "résumé", at the moment it does not.
lio: We fold case but not diacritics. Normalising to NFKD would do.
amelie: Works in 3.0 beta, thank you!
# issue-1002 2023-02-08T10:00
wojtek: I have about 80 percent of the strings ready, who can review them?
lio: Ask @zuza, she did the Czech ones.
# issue-1044 2023-03-22T10:00
henk: Takes 40 seconds on our NAS. Strace shows a stat for each entry, twice.
mbrandt: The second one is for the icon cache, it can be delayed until the window is shown.
henk: 6 seconds now, good enough.
# issue-1101 2023-06-01T10:00
priv: Does the tool phone home? Our compliance team saw requests to an AWS address.
mbrandt: Only the update check. It can be turned off with --no-update or by policy.
# issue-1150 2023-08-14T10:00
tovesen: The new ribbon hides the filter box on small screens.
lio: We will add a compact mode rather than go back.
# issue-1177 2023-10-05T10:00
mbrandt: From 4.0 we move from GPL to MIT, all contributors were asked and agreed.`,
    questions: [
      ["Why did the program terminate with a file that has no content?", "zip with nothing", "we assume at least one record"],
      ["How was the leak fixed?", "listeners are added"],
      ["What was the cause of high RAM usage?", "listeners are added", "uses 9 GB"],
      [
        "Which runtime version is no longer supported and until when do older releases get patches?",
        "out of maintenance",
        "keep a 2.x branch",
      ],
      ["Who could not upgrade quickly?", "customers on RHEL"],
      ["How to find words written with umlauts or diacritical marks?", "Normalising to NFKD", "should also find"],
      ["Who can check the Polish localisation?", "Ask @zuza"],
      ["Why was launching sluggish on remote storage?", "stat for each entry", "icon cache"],
      ["How can automatic update requests be disabled?", "turned off with --no-update"],
      ["Does the application send data about us?", "phone home", "Only the update check"],
      ["What was decided about the user interface complaint?", "compact mode"],
      ["Under which terms is version 4 distributed?", "GPL to MIT"],
      ["On which platforms was the empty zip bug reproduced?", "on Fedora", "macOS as well"],
      ["What does the heap snapshot show?", "listeners are added"],
      ["Does Node 14 block native fetch?", "out of maintenance"],
      ["Why is the filter box hidden on small screens?", "hides the filter box"],
      ["What did strace show on the NAS?", "stat for each entry"],
      ["How long do security fixes go to the 2.x branch?", "keep a 2.x branch"],
      ["Which customers are on RHEL 8?", "customers on RHEL"],
    ],
  },
  {
    name: "club",
    text: `# committee 2023-03-04T19:00
Ruth: We have 31 members now, four more than last spring, and the shed is too small for everyone's tools.
Dieter: The farmer next door would let us have the strip behind the hedge for two hundred a year.
Ruth: Let us take it. I will write to him tomorrow.
Paolo: The pump broke again. I took it apart, the seal is gone, a spare one comes from Milan next week.
# plants 2023-04-12T18:30
Noor: My tomatoes all died in the frost on Easter night, I should have covered them.
Dieter: I still have seedlings on the window sill, you can have ten of mine.
Noor: You are a hero.
Paolo: Slugs ate the lettuce. Has anybody tried copper tape?
Ruth: Beer traps work better for me.
# fete 2023-06-20T20:00
Ruth: The summer fete is on the ninth of July. Who brings what?
Noor: I make lentil salad and the lemonade.
Paolo: I can borrow the big grill from my cousin.
Dieter: My knee is being operated on that week, so I cannot carry anything.
Ruth: Then you sit at the cash box.
# committee 2023-09-02T19:00
Ruth: The fete brought in 640 after costs. I suggest we spend it on a rain barrel and gravel for the path.
Paolo: Agreed. The pump runs fine since the repair by the way.
Noor: The school asked whether a class could have a bed with us from next year.
Ruth: I like that. They get number twelve, it has been empty since the Kellers moved to Bremen.
# committee 2024-02-17T19:00
Dieter: The neighbour sold his land, the new owner wants 500 for the strip.
Ruth: Too much. We give it back at the end of March and build shelves in the shed instead.
Noor: The children come on Thursdays with Mrs Abel, she has a key.
Paolo: Water went up by nine percent, we should raise the fee by ten euros.
Ruth: We vote on that at the yearly assembly on the sixteenth of March.
# committee 2024-03-16T20:00
Ruth: Raised with 22 votes to 5. Dieter stays treasurer, Noor takes over the newsletter from me.`,
    questions: [
      ["How large is the association?", "31 members"],
      ["What did renting the additional ground cost at first and later?", "two hundred a year", "wants 500"],
      ["Why did the water supply equipment fail?", "the seal is gone"],
      ["What destroyed Noor's vegetables?", "died in the frost"],
      ["Who gave Noor replacement plants?", "seedlings on the window sill"],
      ["How can one fight snails?", "copper tape", "Beer traps"],
      ["When was the party held?", "ninth of July"],
      ["What food did Noor prepare for the celebration?", "lentil salad"],
      ["Which surgery did Dieter have?", "My knee is being operated"],
      ["How much profit did the summer event make and what was it used for?", "brought in 640"],
      ["Which plot do the pupils get?", "asked whether a class", "number twelve"],
      ["Who accompanies the kids?", "Mrs Abel"],
      ["Was the membership contribution increased?", "raise the fee", "Raised with 22 votes"],
      ["Who handles the money?", "stays treasurer", "cash box"],
      ["Who wanted a rain barrel and gravel for the path?", "brought in 640"],
      ["Who can borrow the big grill?", "big grill"],
      ["Who makes the lemonade?", "lentil salad"],
      ["Does copper tape help against slugs?", "copper tape"],
      ["When did the Kellers move to Bremen?", "Bremen"],
      ["What about the spare seal from Milan?", "seal is gone"],
      ["What happened to the pump since the repair?", "runs fine since"],
    ],
  },
];
