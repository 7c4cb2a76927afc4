// What a page keeps in this browser. A private window may refuse storage: it is then kept as long as
// the page.

const memory = new Map();

export function kept(key, otherwise = null) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? memory.get(key) ?? otherwise;
  } catch {
    return memory.get(key) ?? otherwise;
  }
}

export function keep(key, value) {
  memory.delete(key);
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    memory.set(key, value);
  }
}
