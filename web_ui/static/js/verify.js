/** Checks a receipt with the house's public key: the entries' hashes, their chain, the signature of the last one.
 *
 * Part of one page that works from a disk: it asks no server for anything, and its policy allows it no connection.
 */

const LANGUAGES = JSON.parse(document.getElementById("texts").textContent);
// Where the table shows this page, as its other pages.
const chosen = document.cookie.match(/(?:^|; )language=(\w+)/)?.[1];
const LANGUAGE =
  [chosen ?? "", ...navigator.languages].map((name) => name.slice(0, 2)).find((name) => name in LANGUAGES) ?? "en";
const { noble } = globalThis;
const REMEMBERED = "house key";

const byId = (id) => document.getElementById(id);
const t = (key, values = {}) => LANGUAGES[LANGUAGE][key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** What a check has found: `valid`, `invalid` or `unknown`, and why. */
const found = (is, why, values) => ({ is, why: t(`verify_${why}`, values) });

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const ascii = (value) =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Return an entry's hash as the journal computes it: over its parts as one JSON list. */
function hashOf([seq, at, session, kind, source, key, record, events, prev]) {
  const listed = [prev, seq, at, session, kind, source, key, record, events].map(ascii).join(", ");
  return hex(noble.sha256(new TextEncoder().encode(`[${listed}]`)));
}

/** Check a signature with the browser's own Ed25519, or with the library in this page where it has none. */
async function isSigned(text, signature, key) {
  const message = new TextEncoder().encode(text);
  try {
    const known = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", known, signature, message);
  } catch {
    return noble.verify(signature, message, key, { zip215: false });
  }
}

/** Where an entry has its number, its session and the name that a client gave it, which may be missing. */
const [NUMBERS, KEY] = [{ 0: "seq", 2: "session" }, 5];

const isHex = (value, digits) => typeof value === "string" && new RegExp(`^[0-9a-f]{${digits}}$`).test(value);

function isReceipt(receipt) {
  const isWhole = isHex(receipt?.public, 64) && isHex(receipt.signature, 128) && /^\w{1,80}$/.test(receipt.journal);
  const isPart = (part, at) =>
    at in NUMBERS ? Number.isSafeInteger(part) : typeof part === "string" || (at === KEY && part === null);
  const isEntry = (entry) => Array.isArray(entry) && entry.length === 10 && entry.every(isPart);
  return isWhole && Array.isArray(receipt.entries) && receipt.entries.length > 0 && receipt.entries.every(isEntry);
}

/** Check a receipt. `house` is the house's public key, or empty: then nobody can say whose table signed it. */
async function check(text, house) {
  let receipt;
  try {
    receipt = JSON.parse(text);
  } catch {
    return found("unknown", "unreadable");
  }
  if (receipt?.kind !== "companion receipt") return found("unknown", "unreadable");
  if (receipt.version !== 1) return found("unknown", "newer");
  if (!isReceipt(receipt)) return found("invalid", "incomplete");
  for (const [place, entry] of receipt.entries.entries()) {
    if (hashOf(entry) !== entry[9]) return found("invalid", "altered", { seq: entry[0] });
    const before = receipt.entries[place - 1];
    if (before && (entry[8] !== before[9] || entry[0] !== before[0] + 1)) {
      return found("invalid", "unchained", { seq: entry[0] });
    }
  }
  const last = receipt.entries.at(-1);
  const head = `companion head ${receipt.journal} ${last[0]} ${last[9]}`;
  let signed;
  try {
    signed = await isSigned(head, bytesOf(receipt.signature), bytesOf(receipt.public));
  } catch {
    signed = false;
  }
  if (!signed) return found("invalid", "unsigned");
  if (house === "") return { ...found("unknown", "no_key", { key: receipt.public }), receipt };
  if (!isHex(house, 64)) return found("unknown", "bad_key");
  if (house !== receipt.public) return found("invalid", "other_key", { key: receipt.public });
  return { ...found("valid", "signed", { seq: receipt.entries[0][0], at: receipt.entries[0][1] }), receipt };
}

const plain = (account) => String(account).replaceAll("%2F", "/").replaceAll("%25", "%");

/** Fill a sentence of the journal with its values. */
function sentence(value) {
  if (value?.say === undefined) return Array.isArray(value) ? value.map(sentence).join(", ") : String(value ?? "");
  const fill = (_, name, form) => {
    const text = sentence(value.with?.[name]);
    return form === "capital" ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  };
  return String(value.say).replace(/\{(\w+)(?::(\w+))?\}/g, fill);
}

/** Show what the signed entry says: its sentences, and the coins that it moved. */
function told(receipt) {
  const events = JSON.parse(receipt.entries[0][7]);
  const lines = events
    .filter((event) => event.text)
    .map((event) => Object.assign(document.createElement("p"), { textContent: sentence(event.text) }));
  const moves = events.filter((event) => event.event === "Transfer");
  const table = document.createElement("table");
  const row = (cells, tag) => {
    const line = table.insertRow();
    for (const text of cells) line.append(Object.assign(document.createElement(tag), { textContent: text }));
  };
  row([t("verify_from"), t("verify_to"), t("verify_coins")], "th");
  for (const { payer, payee, coins } of moves)
    row(
      [payer, payee, coins].map((one) => plain(one)),
      "td",
    );
  return moves.length ? [...lines, table] : lines;
}

async function show() {
  const house = byId("key")
    .value.toLowerCase()
    .replace(/[^0-9a-z]/g, "");
  const [title, why, content] = byId("verdict").children;
  byId("verdict").hidden = true; // whatever happens now, nothing says of this receipt what was true of the one before
  let verdict;
  let lines = [];
  try {
    verdict = await check(byId("pasted").value.trim(), house);
    if (verdict.receipt) lines = told(verdict.receipt);
  } catch {
    verdict = found("invalid", "incomplete");
    lines = [];
  }
  byId("verdict").dataset.is = verdict.is;
  title.textContent = t(`verify_${verdict.is}`);
  why.textContent = verdict.why;
  content.replaceChildren(...lines);
  byId("verdict").hidden = false;
  try {
    if (verdict.is === "valid") localStorage.setItem(REMEMBERED, house);
  } catch {} // a file that may keep nothing
}

for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
document.documentElement.lang = LANGUAGE;
document.title = t("verify_title");
try {
  byId("key").value = localStorage.getItem(REMEMBERED) ?? "";
} catch {} // as above
byId("check").addEventListener("click", show);
byId("file").addEventListener("change", async () => {
  byId("pasted").value = (await byId("file").files[0]?.text()) ?? "";
  await show();
});
