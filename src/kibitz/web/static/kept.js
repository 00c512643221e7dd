// What the browser keeps between visits: who this visitor is, settings, and the seats taken. A
// browser that refuses to keep anything still plays.

const MOST_SEATS = 40;

export function read(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`kibitz.${name}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function write(name, value) {
  try {
    localStorage.setItem(`kibitz.${name}`, JSON.stringify(value));
  } catch {
    // private windows and full disks: the game goes on without
  }
}

/** The seat at a table: its token, and the commitment, the nonce, the cards and the rules as this page
 *  saw them at the deal, so that the check at the end does not lean on what the server says later. */
export function seatAt(table) {
  return read("seats", {})[table] ?? null;
}

export function keepSeatAt(table, seat) {
  const others = Object.entries(read("seats", {})).filter(([name]) => name !== table);
  write("seats", Object.fromEntries([...others.slice(1 - MOST_SEATS), [table, seat]]));
}
