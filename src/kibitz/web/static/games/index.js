// The games that the page knows more of than their moves. No other file of the page names a game.

import { Blob, BlobGame } from "./blob/game.js";
import { Game } from "./game.js";
import { Uno } from "./uno/game.js";

const PLAIN = new Game();
const GAMES = { uno: new Uno(), blob: new Blob(), "blob-game": new BlobGame() };

export const gameOf = (name) => GAMES[name] ?? PLAIN;

/** Those that say something to people who ask for help. */
export const helpful = Object.values(GAMES).filter((game) => game.help);
