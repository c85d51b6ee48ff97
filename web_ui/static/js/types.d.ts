// Made by `python -m tools.browser_types` from the program's own types. Do not edit.

/** A command that is durable, and what it did. */
export interface Accepted {
  /** Its number in the journal. */
  seq: number | null;
  events: Event[];
}

/** Odds advice for the current decision. */
export interface Advice {
  /** Version of the view that the advice is for. */
  version: number;
  /** In the game's own format; empty if there is no decision, or the viewer may not see it. */
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

/** The camera geometry in use, and the open calibration. */
export interface Axes {
  now: AxisNow;
  /** The minimum and maximum angle of view that can be set, in degrees. */
  views: number[];
  /** Whether calibration is possible: the running game has a camera on the dice tray. */
  can_tell: boolean;
  /** The dice that have to be enrolled again when the axis changes. */
  enrolled: string[];
  enrollment: AxisTelling | null;
}

/** The camera geometry used for reading dice. */
export interface AxisNow {
  source: "told" | "mat" | "demo" | "none";
  /** Degrees off the vertical, and the direction in the picture; null if unknown. */
  axis: number[] | null;
  text: string;
  /** The camera's horizontal angle of view in degrees, as `view` in the configuration; null if not set. */
  view: number | null;
  /** The angle of view used for reading dice, in words; empty for the demo's drawn camera. */
  view_text: string;
}

/** Progress of the axis calibration. */
export interface AxisTelling {
  kind: string;
  /** All faces of this kind of die. */
  faces: string[];
  /** The number of pictures required. */
  asked: number;
  /** The pictures taken, oldest first. */
  told: FaceTold[];
  /** The axis found, as `axis` in the configuration; null until enough pictures are consistent. */
  setting: number[] | null;
  /** The axis found, in words; empty without one. */
  found: string;
  /** Why the required number of pictures gives no axis, with the remedy; empty otherwise. */
  trouble: string;
}

/** The state of the camera. */
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

/** The card to enroll as the camera sees it now. */
export interface CardSeen {
  /** A data: URL of a JPEG of the table; a usable card is outlined. */
  picture: string;
  /** Why the picture is unusable; empty if it is usable. */
  trouble: string;
  /** Whether the card taken last still lies there. */
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

/** One answer, for a button. */
export interface Choice {
  id: string;
  label: string;
  /** Digest of the choice's effect: an answer that carries it is refused once the effect has changed. */
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

/** Progress of a deck's enrollment. */
export interface DeckEnrollment {
  name: string;
  cards: companion__tracking__deck_shapes__CardShown[];
  /** The missing cards, the next one first. */
  wanted: string[];
  /** The card taken last. */
  last: string | null;
  /** The number of pictures taken since it was opened; a change means that card pictures may have changed. */
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

/** The tray as the camera sees it now. */
export interface DieLooked {
  /** A data: URL of a JPEG: the tray, with the die marked. */
  picture: string;
  /** Why the picture cannot be labelled; empty if it can. */
  trouble: string;
  /** The face under which this position of the die was already taken; empty if it was not. */
  told: string;
}

/** An enrolled die. */
export interface DieName {
  name: string;
  kind: string;
}

/** The die as the camera sees it now. */
export interface DieSeen {
  /** A data: URL of a JPEG: the die, or the whole tray if none is seen. */
  picture: string;
  /** Why the picture is unusable; empty if it is usable. */
  trouble: string;
  /** The face on top if the reading is certain. */
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

/** Progress of the enrollment. */
export interface Enrollment {
  name: string;
  kind: string;
  faces: FaceShown[];
  /** The missing faces. */
  wanted: string[];
  last: FacePicture | null;
}

/** The enrolled dice, and the open enrollment. */
export interface Enrollments {
  dice: DieName[];
  enrollment: Enrollment | null;
}

/** A journal entry for pages and scripts. */
export interface Entry {
  seq: number;
  at: string;
  session: number;
  kind: "start" | "command" | "notice";
  source: string;
  /** The verb of a command; for other entries the kind. */
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

/** A picture taken, with its face. */
export interface FacePicture {
  face: string;
  /** A data: URL of a JPEG. */
  picture: string;
}

/** A face, and whether it has been shown. */
export interface FaceShown {
  face: string;
  shown: boolean;
}

/** A picture labelled with the face on top. */
export interface FaceTold {
  face: string;
  /** A data: URL of a JPEG. */
  picture: string;
  /** The picture's number, never reused. */
  number: number;
  /** Whether it is consistent with the other pictures; true until there are enough of them. */
  fits: boolean;
}

/** The state of the connection to the house's floor. */
export interface Floor {
  /** ``ok``, ``behind``, ``cut-off`` or ``trouble``. */
  status: string;
  text: string;
  /** Number of journal entries that the floor does not have yet. */
  behind: number;
  /** The floor's name for this table. */
  name: string;
  /** Message about the floor's prices: new ones wait for the next round, or cannot be used here. */
  prices?: string;
  /** The dealer on duty. */
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

/** Summary of a hand or round. */
export interface Hand {
  /** ``SESSION-NUMBER``. */
  id: string;
  session: number;
  /** Of the hand within its session. */
  number: number;
  game: string;
  /** Those seated during it, sorted. */
  players: string[];
  /** Seq of its first entry. */
  first: number;
  /** Seq of its last entry so far. */
  last: number;
  begun: string;
  ended: string | null;
  /** Seq of the entry that decided it. */
  decided: number | null;
  /** The hash of that entry. */
  head: string | null;
  /** As printed by `companion replay`; null while undecided. */
  result: Result | null;
  /** The result as a sentence. */
  told: string | null;
  /** Whether all of it was undone. */
  is_undone: boolean;
  /** What happened, without undone commands. */
  sentences: string[];
}

/** A hand, step by step. */
export interface HandInSteps {
  /** ``SESSION-NUMBER``. */
  id: string;
  session: number;
  /** Of the hand within its session. */
  number: number;
  game: string;
  /** Those seated during it, sorted. */
  players: string[];
  /** Seq of its first entry. */
  first: number;
  /** Seq of its last entry so far. */
  last: number;
  begun: string;
  ended: string | null;
  /** Seq of the entry that decided it. */
  decided: number | null;
  /** The hash of that entry. */
  head: string | null;
  /** As printed by `companion replay`; null while undecided. */
  result: Result | null;
  /** The result as a sentence. */
  told: string | null;
  /** Whether all of it was undone. */
  is_undone: boolean;
  /** What happened, without undone commands. */
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

/** The trouble because of which nothing can be saved, and so no command is accepted. */
export interface Journal {
  state: "unsaved" | "gone" | "tail-lost" | "journal-missing" | "mark-missing" | "rewritten" | "key-missing" | "replay-differs";
  text: string;
  /** Whether the owner can accept it with `accept-loss`; otherwise its cause must be fixed. */
  can_accept: boolean;
  /** The first missing entry, if known. */
  first?: number;
  /** The last entry concerned, if known. */
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

/** A page where the cause of a question can be fixed. */
export interface Link {
  href: string;
  label: string;
}

/** A sentence of the log, with the journal entry that it comes from. */
export interface LogLine {
  seq: number;
  at: string;
  source: string;
  kind: "start" | "command" | "notice";
  /** Shown to the dealer only; left out if false. */
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

/** The schedule and its current state. */
export interface Night {
  plan: Planned[];
  /** The first game whose time is still to come. */
  next: Planned | null;
  /** The game whose time has come, while another that began earlier is still being played. */
  due: Planned | null;
}

/** A notice, with its data. */
export interface Notice {
  seq: number;
  at: string;
  source: string;
  kind: "start" | "command" | "notice";
  /** Shown to the dealer only; left out if false. */
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

/** An enrolled deck of the house. */
export interface OwnDeckName {
  id: string;
  name: string;
  /** Whether the running table is set up with it. */
  in_play: boolean;
}

/** The house's own decks, and the enrollment that is open or was interrupted. */
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

/** The reason and the start of the current hold. */
export interface Paused {
  why: string;
  since: string | null;
}

/** The coins of a step that come from one account. */
export interface PayPart {
  /** Label of the account. */
  at: string;
  /** The owner before the step; null for the house or a pot. */
  player: string | null;
  /** The spot of a stake, else null. */
  on: string | null;
  coins: number;
  /** Whether they already belong to the payee: their own stake. */
  is_own: boolean;
}

/** The dealer's steps for the coins that the latest decision moved, in order. */
export interface PaySheet {
  id: string;
  steps: PayStep[];
  /** The bank's gain, negative for a loss; null if it has no part. */
  house: number | null;
  /** Keys of the ticked steps. */
  paid: string[];
  /** Number of steps still to be ticked. */
  left: number;
  /** Whether the table refuses other commands until all steps are ticked. */
  waits: boolean;
  /** Whether play has moved on; such a sheet is shown only while partly ticked. */
  is_past: boolean;
}

/** A step of the pay sheet: all of its ``parts`` go to one account. */
export interface PayStep {
  /** Unique within its sheet. */
  key: string;
  /** ``stake``, ``take``, ``pay``, ``hand`` or ``keep``. */
  kind: string;
  /** Label of the account that gets the coins. */
  to: string;
  coins: number;
  /** How many of them are the payee's own stake, which stays or goes back. */
  own: number;
  /** ``coins`` without ``own`` in chips, largest first. */
  chips: Pile[];
  /** ``own`` in chips. */
  own_chips: Pile[];
  parts: PayPart[];
  /** The step as a sentence. */
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

/** A pile of chips of one value. */
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

/** A scheduled game. */
export interface Planned {
  /** Index in the schedule, from 0. */
  place: number;
  game: string;
  /** HH:MM, local time. */
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

/** A question to the dealer. */
export interface Question {
  id: string;
  kind: string;
  text: string;
  choices: Choice[];
  card: string | null;
  /** Whether cards read by the camera wait for the answer. */
  blocks: boolean;
  link?: Link;
}

/** One decided round. */
export interface Receipt {
  /** ``SESSION-NUMBER``. */
  id: string;
  session: number;
  /** Of the hand within its session. */
  number: number;
  game: string;
  ended: string;
  /** The entry that decided the hand. */
  seq: number;
  /** The hash of that entry. */
  head: string;
  /** Coins that each player put in, including stakes left from earlier rounds. */
  stakes: Record<string, number>;
  /** Coins that each player got, including returned stakes. */
  payouts: Record<string, number>;
  /** Each player's stakes that are still undecided; left out if there are none. */
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

/** The table as one viewer may see it: the room, the dealer or a seat. */
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
  /** The chip values in use. */
  chips: number[];
  /** The payments of the last command that moved coins. */
  payments: Payment[];
  /** The dealer's steps for the coins of the latest decision; null once play has moved on and it is not partly ticked. */
  pay_sheet: PaySheet | null;
  /** Probabilities of the outcomes of the next card or throw, in the game's own format. */
  chances: (Record<string, unknown>)[];
  /** Payments after which everybody is even. */
  settle_up: SettlePayment[];
  timer: Timer | null;
  paused: Paused | null;
  /** Two or three sentences about the current step, in practice mode. */
  practice: string | null;
  /** By how many seconds the machine's clock was set ahead since the session began (negative: back); left out if it was not. Times in the game's own view are by the clock as it was at the beginning. */
  clock_set?: number;
  /** Seq of the journal's latest entry. */
  seq: number;
  /** Increases with every visible change. */
  version: number;
  session: number;
  /** This evening's sessions up to the current one: the same players and coins, game after game. */
  evening: Sitting[];
  /** The bank's net gain this evening, earlier games included. */
  house_evening: number;
  /** The night's schedule, or null. */
  night: Night | null;
  /** The journal's latest hash. */
  head: string;
  /** Probability, price and house edge of every bet in this round, or in the next once this one is decided. */
  odds: Odds[];
  log: LogLine[];
  camera: Camera;
  /** Why nothing can be saved, or null. */
  trouble: string | null;
  /** The same, for programs; left out without trouble. */
  journal?: Journal;
  /** For the dealer: the open questions. */
  questions?: Question[];
  /** For the dealer. */
  notices?: Notice[];
  /** For the dealer: the camera's measurements. */
  sight?: Record<string, unknown>;
  /** For the dealer: what the next card was declared to be, ``play`` or ``deal``. */
  intention?: string | null;
  /** For the dealer. */
  risk?: Risk | null;
  limits?: Limits;
  /** Spots that take no bet, because even the minimum could win more than the limits allow; left out if none. */
  closed_spots?: string[];
  /** For the dealer; left out at a table that belongs to no floor. */
  floor?: Floor;
  /** For the dealer: whether the players are simulated; left out at a real table. */
  demo?: boolean;
  /** For the room and the dealer: true while the demo deals automatically; else left out. */
  demo_plays?: boolean;
  /** For the dealer: the coins with which a player usually comes to this game. */
  usual_buy_in?: number;
  /** For the dealer, each player's evening; for a seat, its own player's. */
  tonight?: Record<string, Tonight>;
  /** For a seat: minutes of play after which it reminds the player how long they have played; 0 for never. */
  remind_minutes?: number;
  /** For a seat: its player, or null. */
  you?: Player | null;
  /** For a seat: what only its player may see, in the game's own format. */
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

/** One of the evening's sessions. */
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
  /** Name of the camera's evidence. */
  evidence: string | null;
  /** Whether it was undone later. */
  is_undone: boolean;
  hash: string;
  /** The table after it; null if the current rules cannot replay it. */
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

/** A term, its explanation, and the games that use it. */
export interface Term {
  word: string;
  /** Synonyms. */
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

/** The turn timer: the time limit, and the start of the current turn. */
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

/** An interrupted enrollment, which can be continued. */
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

/** A card, and whether it has been shown. */
export interface companion__tracking__deck_shapes__CardShown {
  card: string;
  shown: boolean;
}
