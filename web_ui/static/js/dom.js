// A page is drawn from its view: `render` changes only what differs, so focus, scrolling and typing survive updates.

const SVG = "http://www.w3.org/2000/svg";
const RTL = /[\u0590-\u08ff]+([ '-][\u0590-\u08ff]+)*/g;

const shown = (children) => children.flat(Infinity).filter((c) => c != null && c !== false && c !== "");

/** Describe an element. `props.key` keeps its node when the order changes; null and false among children are left out. */
export function h(tag, props, ...children) {
  return {
    tag,
    props: props || {},
    children: shown(children),
  };
}

/** A text whose values, such as 2-3 or 3-3-6, are not broken at a hyphen. */
export const unbroken = (text) =>
  text.split(/(\d+(?:-\d+)+)/).map((part, i) => (i % 2 === 1 ? h("span", { class: "unbroken" }, part) : part));

/** Make the children of `parent` what is described. */
export function render(parent, ...children) {
  patchChildren(parent, shown(children), parent.namespaceURI === SVG);
}

function patchChildren(parent, wanted, svg) {
  const keyed = new Map();
  const kept = new Set(wanted.map((want) => want.props?.key));
  // What goes, goes first: a moved field loses the focus.
  for (const node of [...parent.childNodes]) {
    if (node.vkey !== undefined && !kept.has(node.vkey)) node.remove();
    else if (node.vkey !== undefined) keyed.set(node.vkey, node);
  }
  let cursor = parent.firstChild;
  for (const want of wanted) {
    const node = reuse(want, cursor, keyed) || create(want, svg);
    if (node === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(node, cursor);
    update(node, want, svg);
  }
  while (cursor) {
    const next = cursor.nextSibling;
    cursor.remove();
    cursor = next;
  }
}

function reuse(want, cursor, keyed) {
  if (typeof want !== "object") return cursor?.nodeType === Node.TEXT_NODE ? cursor : null;
  const { key } = want.props;
  const node = key === undefined ? cursor : keyed.get(key);
  return node?.vtag === want.tag && node.vkey === key ? node : null;
}

function create(want, svg) {
  if (typeof want !== "object") return document.createTextNode("");
  const inside = svg || want.tag === "svg";
  const node = inside ? document.createElementNS(SVG, want.tag) : document.createElement(want.tag);
  node.vtag = want.tag;
  node.vkey = want.props.key;
  node.vprops = {};
  return node;
}

function update(node, want, svg) {
  if (typeof want !== "object") {
    const text = `${want}`.replace(RTL, "\u2068$&\u2069"); // numbers stay beside such a name
    if (node.data !== text) node.data = text;
    return;
  }
  const before = node.vprops || {};
  for (const name in before) if (!(name in want.props)) setProp(node, name, null, before[name]);
  for (const name in want.props) setProp(node, name, want.props[name], before[name]);
  node.vprops = want.props;
  patchChildren(node, want.children, svg || want.tag === "svg");
}

function setProp(node, name, value, before) {
  if (name === "key") return;
  // false would stop keys
  if (name.startsWith("on")) node[name] = value && ((event) => void value(event));
  else if (name === "style") setStyle(node, value || {}, before || {});
  else if (name === "value" || name === "checked") {
    if (value !== before) node[name] = value ?? "";
  } else if (value == null || value === false) node.removeAttribute(name);
  else if (String(value) !== String(before ?? "\u0000")) node.setAttribute(name, value === true ? "" : value);
}

// The security policy forbids style attributes.
function setStyle(node, value, before) {
  for (const name in before) if (!(name in value)) node.style.removeProperty(name);
  for (const name in value) if (value[name] !== before[name]) node.style.setProperty(name, value[name]);
}

/** Have screen readers say it. */
export function announce(text) {
  const place = document.getElementById("announce");
  if (place && text && place.textContent !== text) place.textContent = text;
}
