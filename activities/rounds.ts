/** How soon, in milliseconds, somebody asks again who was turned away; later by this for each who waits, and at most. */
const AGAIN_MS = 2_000
const LATER_MS = 50
const LATEST_MS = 300_000

interface Room {
  inside: number
  /** Those who were turned away, and until when they are waited for: by then they have asked again, or will not. */
  waiting: Map<string, number>
  /** Those who have just had a turn, and until when that is just. */
  had: Map<string, number>
}

/**
 * Lets in so many of one key at a time. Who has just had a turn comes back like those who were turned away, so that all of them have theirs; and no
 * place is kept empty for anybody, because nobody knows how late somebody asks again. Nobody waits inside, where they would take room from
 * others.
 *
 * @param now a clock, in milliseconds
 * @param random from 0 to 1: who asks again at even intervals can come too late each time
 * @returns `turnedAway` is told in how many milliseconds to ask again: the later the more wait, or asking alone would be all that is done
 */
export function createRounds(atATime: number, now: () => number = Date.now, random: () => number = Math.random) {
  const rooms = new Map<string, Room>()
  return async function pass<Result>(
    key: string,
    who: string,
    run: () => Promise<Result>,
    turnedAway: (againMs: number) => Result,
  ): Promise<Result> {
    const room: Room = rooms.get(key) ?? {
      inside: 0,
      waiting: new Map<string, number>(),
      had: new Map<string, number>(),
    }
    rooms.set(key, room)
    forgetLate(room.waiting, now())
    forgetLate(room.had, now())
    room.waiting.delete(who)
    const isInTurn = !room.had.delete(who) || room.waiting.size === 0
    if (room.inside >= atATime || !isInTurn) {
      const againMs = Math.min(AGAIN_MS + LATER_MS * room.waiting.size, LATEST_MS) * (0.75 + 0.5 * random())
      room.waiting.set(who, now() + 1.5 * againMs + AGAIN_MS)
      return turnedAway(againMs)
    }
    room.inside += 1
    try {
      return await run()
    } finally {
      room.inside -= 1
      room.had.set(who, now() + AGAIN_MS)
      if (room.inside === 0 && room.waiting.size === 0) rooms.delete(key)
    }
  }
}

function forgetLate(until: Map<string, number>, now: number): void {
  for (const [who, at] of until) if (at < now) until.delete(who)
}
