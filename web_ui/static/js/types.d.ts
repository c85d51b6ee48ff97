// Made by `python -m tools.browser_types` from the program's own types. Do not edit.

/** A command that is durable, and what it did. */
export interface Accepted {
  /** Its number in the journal. */
  seq: number | null;
  events: Event[];
}

/** What the decision that is due is worth. */
export interface Advice {
  /** Of the view that it is about. */
  version: number;
  /** The game says what; empty where nobody decides, or the viewer may not know. */
  advice: Record<string, unknown>;
}

/** A camera's horizontal angle of view. */
export interface AngleOfView {
  /** Whole degrees; null where it is not set. */
  view: number | null;
}

/** Which way out of a question is taken, both by their ids. */
export interface Answer {
  question: string;
  choice: string;
  /** The choice's mark as it was seen: refused once that choice does something else. */
  mark?: string;
}

/** How the camera looks at the tray, and how far it is being told anew. */
export interface Axes {
  now: AxisNow;
  /** The least and the most angle of view that can be set, in degrees. */
  views: number[];
  /** Whether the running game's camera looks at a die in the tray. */
  can_tell: boolean;
  /** The dice that have to be enrolled anew once the axis is another. */
  enrolled: string[];
  enrollment: AxisTelling | null;
}

/** By what dice are read. */
export interface AxisNow {
  source: "told" | "mat" | "demo" | "none";
  /** Degrees off the vertical, and the direction in the picture; null where it is not known. */
  axis: number[] | null;
  text: string;
  /** The camera's horizontal angle of view in degrees, as `view` in the configuration; null where it is not set. */
  view: number | null;
  /** By which angle of view dice are read, in words; empty for the demo's drawn camera. */
  view_text: string;
}

/** How far the faces of a die are told that say how the camera looks at the tray. */
export interface AxisTelling {
  kind: string;
  /** All that such a die has. */
  faces: string[];
  /** So many pictures are wanted. */
  asked: number;
  /** Those that were taken, the first first. */
  told: FaceTold[];
  /** What was found, as `axis` in the configuration; null until enough pictures fit each other. */
  setting: number[] | null;
  /** The same in words; empty. */
  found: string;
  /** Why enough pictures tell no axis, and what to do about it; empty. */
  trouble: string;
}

/** How the camera fares. */
export interface Camera {
  /** ``ok``, ``poor``, ``lost``, ``ended`` or ``none``. */
  status: string;
  text: string;
  name: string;
}

/** A camera that can be chosen. */
export interface CameraSource {
  source: string;
  name: string;
}

/** A card of an ordinary deck. */
export interface Card {
  card: string;
}

/** Whose a player card is, as the dealer is asked. */
export interface CardRead {
  player: string;
  purse: number;
  /** The id of the question. */
  question: string;
}

/** What the camera sees of a card to enroll. */
export interface CardSeen {
  /** A data: address of a JPEG of the table; a card that will do is outlined. */
  picture: string;
  /** Why the picture will not do; empty if it will. */
  trouble: string;
  /** Whether the card that was taken last still lies there. */
  is_last: boolean;
}

/** The game that is on now. */
export interface Changed {
  session: number;
  game: string;
  seq: number;
}

/** Settings by their dotted keys. */
export interface Changes {
  changes: Record<string, unknown>;
}

/** A look at the table while decks are being checked. */
export interface CheckLook {
  decks: DeckReport[];
  /** A data: address of a JPEG. */
  picture: string;
  /** The cards that were seen for the first time. */
  new: string[];
}

/** The printed decks, and those that are being checked. */
export interface CheckState {
  decks: Deck[];
  /** Null while none is. */
  enrollment: Checking | null;
}

/** Decks that are being checked, and what was seen of them. */
export interface Checking {
  decks: DeckReport[];
}

/** One way out, for a button. */
export interface Choice {
  id: string;
  label: string;
  /** Names what it does: an answer with it counts only while it still does that. */
  mark: string;
}

/** An object of a hand script: a verb and its fields. */
export interface Command {
  do: string;
  /** As the header Idempotency-Key. */
  key?: string;
}

/** A deck, without its key. */
export interface Deck {
  id: string;
  kind: string;
  name: string;
  created: string;
}

/** How far the enrollment of a deck is. */
export interface DeckEnrollment {
  name: string;
  cards: companion__tracking__deck_shapes__CardShown[];
  /** The cards that are missing, the next one first. */
  wanted: string[];
  /** The card that was taken last. */
  last: string | null;
  /** How many pictures were taken since it was opened: a card's picture is a new one after each. */
  taken: number;
}

/** A kind of deck that can be made. */
export interface DeckKind {
  kind: string;
  title: string;
  cards: number;
}

/** The result of a deck check so far. */
export interface DeckReport {
  deck: string;
  kind: string;
  cards: number;
  seen: string[];
  missing: string[];
  double: string[];
  forged: string[];
  foreign: string[];
  other_deck: string[];
  complete: boolean;
}

/** Printed decks, by their ids. */
export interface DecksToCheck {
  decks: string[];
}

/** What the camera sees of the tray. */
export interface DieLooked {
  /** A data: address of a JPEG: the tray, with the die marked. */
  picture: string;
  /** Why no face can be told of it; empty if one can. */
  trouble: string;
  /** The face as which it was taken already; empty: it was not. */
  told: string;
}

/** One of the house's dice. */
export interface DieName {
  name: string;
  kind: string;
}

/** What the camera sees of the die. */
export interface DieSeen {
  /** A data: address of a JPEG: of the die, or of the whole tray where none is seen. */
  picture: string;
  /** Why the picture will not do; empty if it will. */
  trouble: string;
  /** The face that is surely up. */
  says: string | null;
  likely: string[];
}

/** The steps that were verified or skipped. */
export interface Done {
  steps: StepWorth[];
}

/** Who is on duty at this table. */
export interface Duty {
  dealer: string | null;
  /** Who may sign on, as the floor named them last. */
  dealers: string[];
}

/** The least and the most that the house keeps of a coin, over the bets of one family. */
export interface Edge {
  family: string;
  least: number;
  most: number;
}

/** What the house keeps of a coin if an option had this value; null where it plays no part. */
export interface EdgeOfChoice {
  value: string;
  least: number | null;
  most: number | null;
}

/** Shares of a coin, exact to a float. */
export interface Edges {
  now: Edge[];
  /** By option. */
  choices: Record<string, EdgeOfChoice[]>;
}

/** A game and its options. */
export interface EdgesAsked {
  game: string;
  options?: Record<string, unknown>;
}

/** How far the enrollment is. */
export interface Enrollment {
  name: string;
  kind: string;
  faces: FaceShown[];
  /** The faces that are missing. */
  wanted: string[];
  last: FacePicture | null;
}

/** The house's dice, and the enrollment that goes on. */
export interface Enrollments {
  dice: DieName[];
  enrollment: Enrollment | null;
}

/** An entry of the journal, as pages and scripts see it. */
export interface Entry {
  seq: number;
  at: string;
  session: number;
  kind: "start" | "command" | "notice";
  source: string;
  /** The verb of a command, else the kind. */
  do: string;
  record: Record<string, unknown>;
  events: Event[];
}

/** What happened, as the journal and pages have it; each kind has further fields. Coins that moved are not told. */
export interface Event {
  /** Its kind. */
  event: string;
  text?: string;
}

/** Entries of the journal, and where the next page begins. */
export interface Events {
  events: Entry[];
  next: number;
}

/** What was read; each kind of piece has further keys. */
export interface Evidence {
  id?: string;
  at?: string;
}

/** A face of a die. */
export interface Face {
  /** What is up: 1 to 20, 1 to 6, or a face by day or by night, such as 3n. */
  face: string;
}

/** The picture that was taken last. */
export interface FacePicture {
  face: string;
  /** A data: address of a JPEG. */
  picture: string;
}

/** A face, and whether it was shown. */
export interface FaceShown {
  face: string;
  shown: boolean;
}

/** A picture of which it was told what lies on top. */
export interface FaceTold {
  face: string;
  /** A data: address of a JPEG. */
  picture: string;
  /** The picture's own; none other ever has it. */
  number: number;
  /** Whether it fits the others, as far as that is known. */
  fits: boolean;
}

/** How the connection to the house's floor fares. */
export interface Floor {
  /** ``ok``, ``behind``, ``cut-off`` or ``trouble``. */
  status: string;
  text: string;
  /** So many of the journal's entries the floor does not have yet. */
  behind: number;
  /** What the floor calls this table. */
  name: string;
  /** What the dealer should know of the floor's prices: new ones wait for the next round, or cannot hold here. */
  prices?: string;
  /** Who is on duty. */
  dealer?: string;
}

/** What the house's floor has set: it holds in place of the table's own. */
export interface FloorSets {
  value: unknown;
  /** Of the house's price list. */
  version: number;
  who: string;
}

/** One field of the set-up page; see `FormField`. */
export interface FormField {
  key: string;
  kind: "choice" | "number" | "switch";
  title: string;
  option?: string;
  of: string[];
  least?: number;
  needed: boolean;
  coins: boolean;
}

/** What to play: a game with settings for this time, a place in the night's plan, or the game before this one. With a place the game is the one that stood there: refused once the plan has another. */
export interface GameChange {
  game?: string;
  changes?: Record<string, unknown>;
  place?: number;
  back?: boolean;
  /** As the header Idempotency-Key. */
  key?: string;
}

/** An installed game, with the fields of its settings. */
export interface GameForm {
  id: string;
  title: string;
  fields: FormField[];
  /** The setting that says how many decks are played together; null where one is. */
  decks: string | null;
}

/** A game that could be played next. */
export interface GameOffer {
  id: string;
  title: string;
  /** Its settings, as on the set-up page. */
  fields: FormField[];
  /** What each field has in the configuration. */
  values: Record<string, unknown>;
  /** Why those who sit here cannot play it now; null if they can. */
  refused: string | null;
  /** The coins with which everybody begins, where it has coins of its own; null where all that somebody has counts. */
  buy_in: number | null;
  /** The settings that the house's floor has set, which cannot be changed here. */
  floor: string[];
}

/** What the engine looks at in a game's part of the table view. A game's own shape adds more. */
export interface GameView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
}

/** Words in alphabetical order. */
export interface Glossary {
  terms: Term[];
}

/** A hand, round, cut or chain, as lists show it. */
export interface Hand {
  /** Session and number. */
  id: string;
  session: number;
  /** Counted in its session. */
  number: number;
  game: string;
  /** Who sat at the table during it. */
  players: string[];
  /** Its first entry in the journal. */
  first: number;
  /** Its last entry so far. */
  last: number;
  begun: string;
  ended: string | null;
  /** The entry that decided it. */
  decided: number | null;
  /** The journal's hash at that entry. */
  head: string | null;
  /** As `companion replay` prints it; null while it is open. */
  result: Result | null;
  /** How it ended, in a sentence. */
  told: string | null;
  /** All of it was taken back. */
  is_undone: boolean;
  /** What happened, without what was undone. */
  sentences: string[];
}

/** A hand, step by step. */
export interface HandInSteps {
  /** Session and number. */
  id: string;
  session: number;
  /** Counted in its session. */
  number: number;
  game: string;
  /** Who sat at the table during it. */
  players: string[];
  /** Its first entry in the journal. */
  first: number;
  /** Its last entry so far. */
  last: number;
  begun: string;
  ended: string | null;
  /** The entry that decided it. */
  decided: number | null;
  /** The journal's hash at that entry. */
  head: string | null;
  /** As `companion replay` prints it; null while it is open. */
  result: Result | null;
  /** How it ended, in a sentence. */
  told: string | null;
  /** All of it was taken back. */
  is_undone: boolean;
  /** What happened, without what was undone. */
  sentences: string[];
  receipt: Receipt | null;
  steps: Step[];
}

/** A page of hands. */
export interface Hands {
  hands: Hand[];
  /** Null on the last page. */
  next: string | null;
}

/** What the next card will be. */
export interface Intention {
  next: "play" | "deal";
}

/** Why nothing is saved now, and so nothing played. */
export interface Journal {
  state: "unsaved" | "gone" | "tail-lost" | "journal-missing" | "mark-missing" | "rewritten" | "key-missing" | "replay-differs";
  text: string;
  /** Whether the owner can accept it, by `accept-loss`; else its cause must be mended. */
  can_accept: boolean;
  /** The first entry that is missing, where that is known. */
  first?: number;
  last?: number;
}

/** A kind of die: d20, d6, or the day-and-night die. */
export interface KindOfDie {
  kind: string;
}

/** One of the house's dice, or decks. */
export interface KnownDie {
  name: string;
}

/** A language, by its two letters. */
export interface Language {
  language?: string | null;
}

/** The command that an undo would take back, for programs, which must not read the words for people. */
export interface LatestCommand {
  do: string;
  card?: string;
}

/** The limits of a table in coins; null is no limit. */
export interface Limits {
  min: number | null;
  max: number | null;
  cap: number | null;
  bank: number | null;
  /** Those that are the bank's share. */
  from_bank: string[];
}

/** The limits that would hold, and the words for the spots that they speak of. */
export interface LimitsWorded {
  limits: TableLimits | null;
  spots: Record<string, string>;
}

/** A page where something can be done about what is asked. */
export interface Link {
  href: string;
  label: string;
}

/** A sentence of the journal, and the entry that says it. */
export interface LogLine {
  seq: number;
  at: string;
  source: string;
  kind: "start" | "command" | "notice";
  /** For the dealer alone. */
  private?: boolean;
  text: string;
}

/** A picture through a camera, and its meters. */
export interface Look {
  size: number[];
  glare_percent: number;
  /** By how much the light wavers; null while that is not known. */
  flicker_percent: number | null;
  edge_px: number | null;
  px_per_mm: number | null;
  tags: number;
  /** A data: address of a JPEG. */
  picture: string;
  /** By figure; those that are not known are left out. */
  grades: Record<string, "good" | "fair" | "poor">;
}

/** Which mat to find; without it whichever lies there. */
export interface MatAsked {
  mat?: string | null;
}

/** Whether the mat was found, and what to mend; where it lies if it was. */
export interface MatFound {
  ok: boolean;
  troubles: string[];
  px_per_module?: number;
  mat?: string;
  px_per_mm?: number;
  error_px?: number;
  shake_px?: number;
}

/** A card of an ordinary deck, or the latest one. */
export interface MaybeCard {
  card?: string | null;
}

/** Settings by their dotted keys. */
export interface MaybeChanges {
  changes?: Record<string, unknown>;
}

/** A face of a die, or the latest one. */
export interface MaybeFace {
  face?: string | null;
}

/** A picture by its number, or the latest one. */
export interface MaybeNumber {
  number?: number | null;
}

/** What deck to make. */
export interface NewDeck {
  kind: string;
  name?: string;
}

/** A die to teach. */
export interface NewDie {
  name: string;
  kind: string;
  /** Whether a die of this name is taught anew. */
  replace?: boolean;
}

/** An ordinary deck to teach. */
export interface NewOwnDeck {
  name: string;
  /** Whether a deck of this name is taught anew. */
  replace?: boolean;
}

/** The plan as it stands now. */
export interface Night {
  plan: Planned[];
  /** The next game, whose time is still to come. */
  next: Planned | null;
  /** The game whose time has come, while another is on that began before that. */
  due: Planned | null;
}

/** Something that is not a command. */
export interface Notice {
  seq: number;
  at: string;
  source: string;
  kind: "start" | "command" | "notice";
  /** For the dealer alone. */
  private?: boolean;
  text: string;
  data: Record<string, unknown>;
}

export interface Odds {
  on: string;
  probability: string;
  float: number;
  pays: string;
  edge: number;
}

/** What the dealer can change to, with the page's texts for the settings. */
export interface Offers {
  /** The session that would end. */
  session: number;
  game: string;
  /** Why the game cannot be changed now; null if it can. */
  refused: string | null;
  /** What is undone first, at a demo table with a round under way; null if nothing is. */
  takes_back: string | null;
  /** The game before this one, while nothing was played since: changing back to it loses nothing. */
  back: string | null;
  games: GameOffer[];
  plan: PlanRow[];
  texts: Record<string, unknown>;
}

/** The most that a single bet can win. */
export interface OneBet {
  on: string;
  coins: number;
  win: number;
}

/** Coins on their way between a purse and this table. */
export interface OpenTransfer {
  id: string;
  /** ``buy-in`` or ``cash-out``. */
  kind: string;
  coins: number;
  /** ``reserved``: out of the purse, and the table has not taken them yet. ``owed``: the table has to give them again. */
  state: string;
}

/** A house's own deck. */
export interface OwnDeckName {
  id: string;
  name: string;
  /** Whether the running table is set up to play with it. */
  in_play: boolean;
}

/** The house's own decks, and the enrollment that goes on or was broken off. */
export interface OwnDecks {
  decks: OwnDeckName[];
  enrollment: DeckEnrollment | null;
  unfinished: UnfinishedDeck | null;
}

/** A line to blink, or ``test: false`` to end the test. */
export interface PanelAsked {
  line?: string | null;
  test?: boolean;
}

/** What the panel has, what blinks, and which buttons were pressed in this test. */
export interface PanelState {
  lines: string[];
  buttons: string[];
  troubles: string[];
  testing: boolean;
  line: string | null;
  pressed: string[];
  down: string[];
}

/** Why the table is on hold, and since when. */
export interface Paused {
  why: string;
  since: string | null;
}

/** Coins of a step that lie together before it. */
export interface PayPart {
  /** The account's label. */
  at: string;
  /** Whose coins they are until then; null: nobody's, or the house's. */
  player: string | null;
  /** The spot, where they are a stake. */
  on: string | null;
  coins: number;
  /** Whether whoever gets them had staked them. */
  is_own: boolean;
}

/** What the dealer does with the coins that the latest decision moved, in order. */
export interface PaySheet {
  id: string;
  steps: PayStep[];
  /** What the bank gains by it, below zero what it loses; null where it has no part in it. */
  house: number | null;
  /** The keys of the steps that are ticked. */
  paid: string[];
  /** How many are not. */
  left: number;
  /** Whether the table takes no other commands until all are ticked. */
  waits: boolean;
  /** Whether the game has gone on; shown while some of it is ticked and some is not. */
  is_past: boolean;
}

/** A step of the pay sheet: everything among ``parts`` goes to one place. */
export interface PayStep {
  /** Names the step within its sheet. */
  key: string;
  /** ``stake``, ``take``, ``pay``, ``hand`` or ``keep``. */
  kind: string;
  /** The label of the account that gets the coins. */
  to: string;
  coins: number;
  /** How many of them whoever gets them had staked: they stay or go back. */
  own: number;
  /** The other coins in chips, the biggest first. */
  chips: Pile[];
  /** The own ones. */
  own_chips: Pile[];
  parts: PayPart[];
  /** The step as it is spoken. */
  says: string;
  can_tick: boolean;
}

export interface Payment {
  from: string;
  to: string;
  coins: number;
  chips: number[];
  in_chips: string;
  why: string;
  reason: string;
}

/** Chips of one value. */
export interface Pile {
  value: number;
  count: number;
}

/** The plan of the night. */
export interface Plan {
  plan: PlanRow[];
}

/** A game of the night's plan, as it is edited. */
export interface PlanRow {
  game: string;
  /** HH:MM. */
  at?: string | null;
  /** Or so long after the game before it. */
  minutes?: number | null;
}

/** A game of the plan, with its place in it, from 0. */
export interface Planned {
  place: number;
  game: string;
  /** HH:MM, the table's own time. */
  at: string;
}

/** A player at the table. */
export interface Player {
  seat: number;
  name: string;
  /** In front of them. */
  coins: number;
  staked: number;
  /** Coins that they have put aside, if they have any. */
  aside?: number;
}

/** A player's card that was shown. */
export interface PlayerCardCode {
  /** As it is printed on the card; gaps and small letters do not matter. */
  code: string;
}

/** Why something was refused. The code never changes; the message is for people. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  message: string;
}

/** A player's purse in the house. */
export interface Purse {
  purse: number;
  player: string;
}

/** A purse, with what it holds. */
export interface PurseHeld {
  purse: number;
  player: string;
  coins: number;
  /** Its transfers with this table that are not finished. */
  open: OpenTransfer[];
}

/** Coins between a player's purse in the house and the table. */
export interface PurseMove {
  /** ``buy-in``, or ``cash-out`` for all that the player has. */
  do: string;
  player: string;
  purse: number;
  /** Of a buy-in. */
  coins?: number;
  /** As the header Idempotency-Key. */
  key?: string;
}

/** The house's purses. */
export interface Purses {
  purses: Purse[];
  /** Why nothing but cashing out can be done now; the purses are then those that were known before. */
  cut_off?: string;
}

/** Something for the dealer to decide. */
export interface Question {
  id: string;
  kind: string;
  text: string;
  choices: Choice[];
  card: string | null;
  /** Cards read by the camera wait until it is answered. */
  blocks: boolean;
  link?: Link;
}

/** One decided round. */
export interface Receipt {
  /** Session and number. */
  id: string;
  session: number;
  /** Counted in its session. */
  number: number;
  game: string;
  ended: string;
  /** The entry that decided the hand. */
  seq: number;
  /** The journal's hash at that entry. */
  head: string;
  /** What each player put in, stakes of earlier rounds that lay there included. */
  stakes: Record<string, number>;
  /** What each player got, stakes included. */
  payouts: Record<string, number>;
  /** What of each player's stakes was not decided and lies there still, where there is any. */
  staying?: Record<string, number>;
  /** For a QR code. */
  text: string;
}

/** What every entry of ``results`` in the public contract has, one or the other. A game's own shape adds more. */
export interface Result {
  paid?: Won[];
  transfers?: Transfer[];
}

/** What the house has at risk. */
export interface Risk {
  /** What this round can cost at most with the stakes as they lie. */
  worst: number;
  /** What has to happen for that; what it names is the game's. */
  when: Record<string, unknown> | null;
  /** The bet that wins most by it. */
  bet: Stake | null;
  bank: number | null;
  /** What the house has now of its bank. */
  left: number | null;
  is_short: boolean;
  /** The most that a single bet could cost where there is no bank. */
  one_bet: OneBet | null;
}

/** The table as a viewer may see it. */
export interface RoomView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  game: string;
  phase: string;
  /** Why the table is on hold. */
  hold: string | null;
  /** The verbs that can be done now. */
  expected: string[];
  players: Player[];
  /** The bank's net gain. */
  house: number;
  /** All coins on undecided bets. */
  staked: number;
  pots: Record<string, number>;
  /** What an undo would take back. */
  undo: string | null;
  undoes: LatestCommand | null;
  /** How many commands count. */
  commands: number;
  redo: string | null;
  /** How many rounds are decided. */
  rounds: number;
  /** The `Result` of the round decided last, as the game has it. */
  latest: Record<string, unknown> | null;
  /** Why each other verb cannot be done now. */
  reasons: Record<string, string>;
  /** Cards in stacks, as the game shows them. */
  stacks?: (Record<string, unknown>)[];
  /** The values of the chips in use. */
  chips: number[];
  /** Of the last command that moved coins. */
  payments: Payment[];
  /** What the dealer does with the coins of the latest decision; null once the game has gone on. */
  pay_sheet: PaySheet | null;
  /** How likely the next card or throw brings about what; the game says what. */
  chances: (Record<string, unknown>)[];
  /** The payments after which everybody is even. */
  settle_up: SettlePayment[];
  timer: Timer | null;
  paused: Paused | null;
  /** This step in two or three sentences, in practice mode. */
  practice: string | null;
  /** By how many seconds the machine's clock was set since the session began: times in the game's own view are by the clock as it was. Only if it was. */
  clock_set?: number;
  /** The latest entry of the journal. */
  seq: number;
  /** Grows with everything that can be seen. */
  version: number;
  session: number;
  /** The sessions of this evening up to this one: the same players and coins in one game after the other. */
  evening: Sitting[];
  /** The bank's net gain this evening, at the games before this one too. */
  house_evening: number;
  /** What is planned to be played later; null without a plan. */
  night: Night | null;
  /** The journal's latest hash. */
  head: string;
  /** Chance, price and edge of every bet now; of the next round once this one is decided. */
  odds: Odds[];
  log: LogLine[];
  camera: Camera;
  /** Why nothing can be saved. */
  trouble: string | null;
  /** The same for programs; left out while all is well. */
  journal?: Journal;
  /** For the dealer: what the table asks. */
  questions?: Question[];
  /** For the dealer. */
  notices?: Notice[];
  /** For the dealer: the camera's numbers. */
  sight?: Record<string, unknown>;
  /** For the dealer: what the next card was said to be, ``play`` or ``deal``. */
  intention?: string | null;
  /** For the dealer. */
  risk?: Risk | null;
  limits?: Limits;
  /** The spots that take no bet: even the least could win more than the limits allow; left out where there is none. */
  closed_spots?: string[];
  /** For the dealer: how the connection to the house's floor fares; left out at a table that has joined none. */
  floor?: Floor;
  /** For the dealer: that simulated people play; left out at a real table. */
  demo?: boolean;
  /** For the room and the dealer: that the demo deals by itself, until somebody takes over. */
  demo_plays?: boolean;
  /** For the dealer: the coins with which a player usually comes to this game. */
  usual_buy_in?: number;
  /** Each player's evening, for the dealer; for a seat its own player's. */
  tonight?: Record<string, Tonight>;
  /** For a seat: after how many minutes of play it says how long its player has played; 0 for never. */
  remind_minutes?: number;
  /** For a seat: who sits there. */
  you?: Player | null;
  /** For a seat: what only its player may see, as the game has it. */
  secrets?: Record<string, unknown>;
}

/** The language that was spoken. */
export interface Said {
  language: string;
}

/** The settings as the file has them. */
export interface Settings {
  /** By their dotted keys. */
  values: Record<string, unknown>;
  file: string;
  /** The keys that count after a new start. */
  waiting: string[];
  /** What the file says, by dotted keys; nothing while there is no file. */
  written: Record<string, unknown>;
  /** By game, the settings that the house's floor sets. */
  floor: Record<string, Record<string, FloorSets>>;
  /** The coins with which a player usually comes to the game as the file has it. */
  usual_buy_in: number;
}

export interface SettlePayment {
  from: string;
  to: string;
  coins: number;
}

/** How far the house is set up. */
export interface Setup {
  settings: Settings;
  games: GameForm[];
  decks: Deck[];
  deck_kinds: DeckKind[];
  cameras: CameraSource[];
  panel: PanelState | null;
  /** Those that were verified or skipped. */
  steps: StepWorth[];
}

/** A step of the set-up: to verify, or to skip. */
export interface SetupStep {
  step: string;
  skip?: boolean;
  /** Of the panel: whether each line and `button/NAME` works. */
  results?: Record<string, boolean>;
}

/** Who signs on; null: nobody is on duty any more. */
export interface Sign {
  dealer: string | null;
  /** Their PIN at the floor. */
  pin?: string;
}

/** A session of the evening. */
export interface Sitting {
  session: number;
  game: string;
}

/** A camera. */
export interface Source {
  source: string;
}

/** One player's coins on one spot. */
export interface Stake {
  player: string;
  on: string;
  amount: number;
}

/** What goes on. */
export interface Status {
  status: string;
}

/** One entry of a hand. */
export interface Step {
  seq: number;
  at: string;
  source: string;
  kind: "start" | "command" | "notice";
  sentence: string;
  command: Record<string, unknown> | null;
  transfers: Transfer[];
  /** Where the picture is of what the camera read. */
  evidence: string | null;
  /** It was taken back later. */
  is_undone: boolean;
  hash: string;
  /** The table after it; null if the rules have changed. */
  view: TableView | null;
}

/** A step of the set-up that was verified or skipped. */
export interface StepWorth {
  step: string;
  status: "passed" | "skipped" | "not-good";
  /** What was found, or what is wrong and what to do about it. */
  why: string[];
}

/** The limits of a table, and what they come to. */
export interface TableLimits {
  min: number | null;
  max: number | null;
  cap: number | null;
  bank: number | null;
  /** Those that are the bank's share. */
  from_bank: string[];
  /** The most that a single bet could cost where there is no bank. */
  one_bet: OneBet | null;
  /** The spots that take no bet. */
  closed: string[];
}

/** What everybody in the room may see of a table; the game adds its own. */
export interface TableView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  game: string;
  phase: string;
  /** Why the table is on hold. */
  hold: string | null;
  /** The verbs that can be done now. */
  expected: string[];
  players: Player[];
  /** The bank's net gain. */
  house: number;
  /** All coins on undecided bets. */
  staked: number;
  pots: Record<string, number>;
  /** What an undo would take back. */
  undo: string | null;
  undoes: LatestCommand | null;
  /** How many commands count. */
  commands: number;
  redo: string | null;
  /** How many rounds are decided. */
  rounds: number;
  /** The `Result` of the round decided last, as the game has it. */
  latest: Record<string, unknown> | null;
  /** Why each other verb cannot be done now. */
  reasons: Record<string, string>;
  /** Cards in stacks, as the game shows them. */
  stacks?: (Record<string, unknown>)[];
}

/** A word of the games in plain English. */
export interface Term {
  word: string;
  /** What else players call it. */
  also: string[];
  means: string;
  games: string[];
}

/** Steps of the pay sheet that are done, or are not after all. */
export interface Ticked {
  /** The sheet's id: refused once another is on. */
  sheet: string;
  /** Their keys. */
  steps: string[];
  paid: boolean;
}

/** The turn timer: how long a turn may take, and since when it runs. */
export interface Timer {
  seconds: number;
  since: string;
}

/** A player's evening. */
export interface Tonight {
  /** From sitting down to the latest command at the table: a table where nothing happens is not played at. */
  minutes: number;
  /** Coins bought in this evening less those cashed out, at all of its games; below zero when more were taken. */
  brought: number;
}

export interface Transfer {
  from: string;
  to: string;
  coins: number;
  why: string;
}

/** An enrollment that was broken off. */
export interface UnfinishedDeck {
  name: string;
  shown: number;
}

/** One bet of a decided round, as results have it. */
export interface Won {
  player: string;
  on: string;
  amount: number;
  won: number;
  /** Coins of the stake that came back, where a game says how each bet ended. */
  returned?: number;
  /** How it ended, in one word. */
  outcome?: string;
}

/** What was read of a card that was shown to try the reading out. */
export interface companion__app__setup__shapes__CardShown {
  /** As `companion read` has it; none: no card was seen. */
  status: "ok" | "tag" | "forged" | "foreign" | "unreadable" | "none";
  card: string | null;
  deck: string | null;
  /** Whether it is of a house's own enrolled deck. */
  is_own: boolean;
  text: string;
  /** A data: address of a JPEG; null without a picture. */
  picture: string | null;
}

/** A card, and whether it was shown. */
export interface companion__tracking__deck_shapes__CardShown {
  card: string;
  shown: boolean;
}
