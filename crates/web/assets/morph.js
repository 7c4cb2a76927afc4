// Turns the children of one element into those of another, touching only what differs, so that
// focus, scroll and half-typed text survive a live update.
//
// Elements are the same when their `id` or `data-key` is the same, or, without one, when they
// stand at the same place with the same name. `data-keep` protects an element from any change.

const keyOf = (node) => (node.nodeType === 1 ? node.id || node.dataset?.key || null : null);

export function morphChildren(from, to) {
  const focused = document.activeElement;
  children(from, to);
  if (
    focused &&
    focused !== document.activeElement &&
    focused.isConnected &&
    from.contains(focused)
  ) {
    focused.focus({ preventScroll: true });
  }
}

function children(from, to) {
  const wanted = new Set([...to.children].map(keyOf).filter(Boolean));
  const pool = new Map();
  for (const child of [...from.children]) {
    const key = keyOf(child);
    if (!key) continue;
    if (wanted.has(key)) pool.set(key, child);
    else child.remove();
  }
  let cursor = from.firstChild;
  for (const want of [...to.childNodes]) {
    const match = keyOf(want) ? pool.get(keyOf(want)) : alike(cursor, want);
    if (!match) {
      from.insertBefore(want, cursor);
      continue;
    }
    if (match === cursor) cursor = cursor.nextSibling;
    else move(from, match, cursor);
    node(match, want);
  }
  while (cursor) {
    const next = cursor.nextSibling;
    cursor.remove();
    cursor = next;
  }
}

const alike = (have, want) =>
  have && !keyOf(have) && have.nodeType === want.nodeType && have.nodeName === want.nodeName
    ? have
    : null;

function move(parent, child, before) {
  // Where the browser can, moving keeps focus, animations and media running.
  if (parent.moveBefore && child.isConnected && parent.isConnected)
    parent.moveBefore(child, before);
  else parent.insertBefore(child, before);
}

function node(have, want) {
  if (have.nodeType !== 1) {
    if (have.nodeValue !== want.nodeValue) have.nodeValue = want.nodeValue;
    return;
  }
  if (have.nodeName !== want.nodeName) {
    have.replaceWith(want);
    return;
  }
  if ("keep" in have.dataset || have.isEqualNode(want)) return;
  attributes(have, want);
  if (have.nodeName !== "TEXTAREA") children(have, want);
  else if (!edited(have)) have.value = want.value;
}

const edited = (field) => field === document.activeElement || field.value !== field.defaultValue;

function attributes(have, want) {
  const dirty = have.nodeName === "INPUT" && edited(have);
  const own = new Set(["open"]);
  if (dirty) ["value", "checked"].forEach((name) => own.add(name));
  for (const { name } of [...have.attributes]) {
    if (!want.hasAttribute(name) && !own.has(name)) have.removeAttribute(name);
  }
  for (const { name, value } of want.attributes) {
    if (have.getAttribute(name) !== value && !own.has(name)) have.setAttribute(name, value);
  }
}
