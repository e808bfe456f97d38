/**
 * Everyday words that stand for each other, so that a question finds an answer put in other words. A line
 * is a set of near-synonyms; with a colon, the words before it are a kind and those after it examples of
 * it, found from the kind but not from each other.
 */
import { stem } from "./stem.ts";

const LINES = `
buy bought purchase purchased acquire order shopping get got
sell sold sale selling
job work career occupation profession position employment employer role hire hired
company firm startup business enterprise organisation organization
boss supervisor lead
colleague coworker teammate
salary pay wage income earn raise
quit resign left leave fired layoff
start begin began begun launch launched kick off opened
finish complete completed done end ended wrap
kid child children son daughter baby toddler boy girl
parent mother father mom dad mum
family relative relatives sibling brother sister cousin aunt uncle grandma grandpa grandmother grandfather grandparent
husband wife spouse partner boyfriend girlfriend fiance married wedding engaged marry
marriage wedding married marry ceremony bride groom
divorce breakup separated split
friend buddy pal mate
pet animal: dog cat puppy kitten hamster rabbit parrot fish turtle horse guinea pig lizard snake bird
dog puppy pup canine
cat kitten kitty feline
name named called
live living reside home residence moved address apartment house
move moved moving relocate relocated
country nation: usa america england france germany italy spain japan china india canada mexico sweden norway brazil australia greece portugal ireland scotland thailand
city town: london paris berlin rome madrid tokyo boston chicago seattle denver austin york francisco angeles amsterdam
origin from hometown homeland roots grew
trip travel vacation holiday journey visit visited tour flew getaway roadtrip
hotel hostel inn lodging airbnb resort cabin
flight plane airport airline fly flew
car vehicle truck suv automobile drive drove driving prius
bike bicycle cycling cycle
hobby hobbies interest activity activities pastime leisure free fun: painting pottery hiking camping swimming running reading cooking baking gardening photography knitting yoga dancing chess fishing climbing surfing skiing cycling gaming music guitar piano violin writing drawing sculpting
exercise workout fitness gym training: running yoga swimming cycling weights jogging pilates boxing
run running race marathon jog jogging 5k
sport game team: football soccer basketball baseball tennis hockey golf volleyball cricket rugby
play played playing
paint painting painted art artwork canvas drawing drew
art artist artistic creative: painting sculpture pottery drawing photography sketch
instrument: guitar piano violin drums clarinet flute saxophone cello bass ukulele trumpet keyboard
music song album band concert gig melody tune listen singer artist
concert show gig festival performance live performed
movie film cinema watch watched watching series show
book novel read reading author story memoir
game video videogame gaming play console
food eat ate meal dish cuisine dinner lunch breakfast cook cooked recipe: pizza pasta salad soup curry sushi steak chicken cake bread rice seafood tacos
cook cooking cooked bake baked baking recipe kitchen
drink beverage: coffee tea wine beer juice water soda
restaurant cafe diner bistro eatery
dessert: cake cookies pie icecream cream chocolate pastry
allergy allergic allergies intolerant
health medical illness sick disease condition ill: asthma diabetes allergy cancer flu injury migraine anxiety depression
doctor physician hospital clinic nurse surgeon therapist
hurt injured injury pain broke sprained accident
therapy counseling counselor therapist mental psychology
school college university class course degree study studied studying education student major campus
teacher professor instructor tutor mentor
learn learned learning study studied taught
graduate graduated graduation degree diploma
exam test quiz certification
research researched researching investigate look looked
plan planning plans intend hoping going want goal
goal dream aspiration ambition hope
decide decided decision chose choose choice picked pick selected
change changed switch switched replace replaced migrate migrated instead
like love enjoy enjoyed favorite favourite prefer fan passion passionate loves adore
dislike hate hated avoid despise
favorite favourite prefer best preferred beloved
happy glad excited thrilled delighted joyful proud grateful
sad upset disappointed unhappy down heartbroken grief
afraid scared fear frightened nervous anxious worried
angry mad furious annoyed frustrated
stress stressed overwhelmed pressure anxiety relax relaxing unwind destress
support supported supporting help helped encourage encouraged assistance
give gave gift present given donated
gift present birthday surprise
birthday anniversary celebrate celebrated celebration party
event party meeting conference gathering ceremony festival parade fair workshop
attend attended went participate participated participating join joined took part
volunteer volunteering volunteered charity donate nonprofit shelter community
charity fundraiser donation nonprofit raise awareness
group club team community organization society association
identity gender transgender lgbtq queer gay lesbian nonbinary trans pride
relationship status single dating married divorced partner
religion faith church prayer spiritual god mosque temple
adopt adopted adoption foster agency agencies
pregnant pregnancy expecting birth born
die died death passed away funeral lost late
money budget cost price expensive cheap pay paid dollars spent fund
win won victory award prize medal trophy champion
lose lost losing defeat
problem issue trouble challenge difficulty struggle obstacle setback bug error failure
fix fixed repair repaired solve solved resolve resolved solution patch
build built make made create created construct develop developed
phone call called text message chat contact
computer laptop pc machine hardware
program programming code coding software app application developer engineer
photo picture photograph image photography camera
clothes clothing outfit: shirt dress shoes jacket jeans hat boots necklace
jewelry: necklace ring bracelet earrings
color colour: red blue green yellow purple orange pink black white brown grey
nature outdoors outdoor: beach mountain forest lake river park hike hiking camping trail woods ocean sunset
beach ocean sea coast shore seaside
mountain mountains hill peak summit hike hiking trail
camp camping campfire tent
garden gardening plant plants flowers planted grow
weather: rain sunny snow storm cold hot wind
season: spring summer autumn fall winter
age old years year
long duration since years months weeks
often frequency every times weekly daily regularly usually
number many count several: two three four five six seven eight nine ten dozen
book reading club
bookshelf library collection collect collected
symbol meaning symbolize represents represent reminder
skill ability talent good
character personality trait traits kind caring thoughtful brave
political politics liberal conservative vote election government
language speak spoken fluent: english spanish french german italian japanese chinese mandarin
database storage: postgres postgresql mysql sqlite mongodb redis
deploy deployed deployment release released ship shipped rollout
server host hosting cloud backend aws
deadline due date schedule scheduled postponed delayed moved
meeting call sync standup appointment
owner responsible assigned charge maintainer maintains takes
bug defect error crash failure broken issue
speed slow fast latency performance
outage downtime down offline unavailable incident unreachable 502 503 broke
recover recovered recovery restore restored back resumed up
crash crashed terminate terminated closes freeze frozen hang hung abort
leak memory ram heap gigabytes gb
cause caused reason root because culprit
slow sluggish lag laggy latency seconds delay performance
start startup launch launching boot open opening
queue broker messaging stream streams: kafka rabbit rabbitmq redis sqs nats
log logs logging logged verbose debug trace
retry retries retrying again attempt attempts tries
wait waits waiting timeout delay pause backoff
duplicate duplicated twice double doubled repeated
prevent prevented avoid avoided lock guard stop
job task cron batch worker scheduled
invoice billing bill payment charge receipt
customer client user buyer account
employee staff colleague hire teammate newcomer
hire hired hiring recruit recruiting recruitment vacancy seats headcount joins
sales revenue turnover income earnings quarter
target goal plan forecast under below
loan credit lender bank lending rate mortgage
office desk building premises lease rent headquarters
contract agreement renewal renewed extend extended signed deal
smartphone phone mobile ios android cell
application app tool program software client product
interface ui screen layout toolbar menu button theme design
signup register registration onboarding enrol enroll subscribe
abandon drop leave loses quit churn cancel
request requested ask asked wish wanted demand
certificate ssl tls cert certificates
expire expires expiry run out ends due lapse
license licence licensing terms: gpl agpl mit apache bsd
support supported maintenance maintained compatible compatibility
upgrade update upgraded newer version bump
remote network nas nfs share cloud
disable disabled off switch deactivate
enable enabled on activate allow
telemetry tracking analytics home data privacy collect
translate translation localisation localization language strings locale
accent accents diacritic diacritics umlaut unicode
empty nothing blank zero missing
archive zip tar compressed file
review reviewed check checked approve approved feedback
responsible charge covers cover owner oncall duty assigned
vacation holiday leave off away break
parents mother father family folks
dentist doctor appointment checkup tooth teeth
expensive costs price cost paid dollars euros budget
buy bought order ordered arrived purchase got
hand hands wrist wrists arm finger
lunch dinner breakfast eat restaurant food
keyboard mouse monitor screen laptop hardware
branch main release tag trunk
test tests testing suite coverage flaky
secret password credential token key
permission access rights role allowed
email mail mails message newsletter
backup backups dump snapshot restore
storage disk space bucket object files
deploy deployment rollout production prod live ship
migrate migration migrated move port switch
remove removed delete deleted drop dropped
increase grew raised grow higher more
decrease fell reduced lower less shrink cut
approve agreed accept accepted decide decided confirmed
reject rejected decline declined refuse refused against
`;

function build(): Map<string, Set<string>> {
  const map = new Map<string, Set<string>>();
  const add = (from: string, to: string): void => {
    if (from === to) return;
    const set = map.get(from);
    if (set === undefined) map.set(from, new Set([to]));
    else set.add(to);
  };
  for (const line of LINES.split("\n")) {
    const [kinds = "", examples = ""] = line.split(":");
    const left = kinds
      .split(" ")
      .filter((word) => word !== "")
      .map(stem);
    const right = examples
      .split(" ")
      .filter((word) => word !== "")
      .map(stem);
    for (const a of left) {
      for (const b of left) add(a, b);
      for (const b of right) add(a, b);
    }
    for (const b of right) for (const a of left.slice(0, 2)) add(b, a);
  }
  return map;
}

const NOTHING: ReadonlySet<string> = new Set();
let table: Map<string, Set<string>> | undefined;

/** Stems that may stand for this one. */
export function relatedWords(term: string): ReadonlySet<string> {
  table ??= build();
  return table.get(term) ?? NOTHING;
}
