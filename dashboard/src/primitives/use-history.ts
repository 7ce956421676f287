import { useReducer } from 'react'

const MAX_STEPS = 100
/** Milliseconds after which the next change of the same thing is a step of its own. */
const PAUSE_MS = 1_000

interface State<Value> {
  now: Value
  before: readonly Value[]
  after: readonly Value[]
  /** The subject of the last change. */
  about: string | undefined
  /** The time of the last change. */
  at: number
}

type Action<Value> =
  | { do: 'change'; by: (now: Value) => Value; about: string | undefined; at: number }
  | { do: 'undo' | 'redo' }
  | { do: 'reset'; to: Value }

function reduce<Value>(state: State<Value>, action: Action<Value>): State<Value> {
  const { now, before, after, about, at } = state
  switch (action.do) {
    case 'change': {
      const to = action.by(now)
      if (to === now) return state
      // Consecutive changes of one thing, such as letters of a text, are one step.
      const goesOn = action.about !== undefined && action.about === about && action.at - at < PAUSE_MS
      return {
        now: to,
        before: goesOn ? before : [...before, now].slice(-MAX_STEPS),
        after: [],
        about: action.about,
        at: action.at,
      }
    }
    case 'undo': {
      const last = before.at(-1)
      return last === undefined
        ? state
        : { now: last, before: before.slice(0, -1), after: [now, ...after], about: undefined, at: 0 }
    }
    case 'redo': {
      const [next, ...rest] = after
      return next === undefined ? state : { now: next, before: [...before, now], after: rest, about: undefined, at: 0 }
    }
    case 'reset':
      return initial(action.to)
  }
}

const initial = <Value>(now: Value): State<Value> => ({ now, before: [], after: [], about: undefined, at: 0 })

/** A value whose changes can be undone and redone. */
export interface Undoable<Value> {
  value: Value
  /** @param about what changes: consecutive changes of the same thing are one step */
  change: (by: (now: Value) => Value, about?: string) => void
  /** Undefined if there is nothing to undo. */
  undo: (() => void) | undefined
  redo: (() => void) | undefined
}

interface History<Value> extends Undoable<Value> {
  /** Replaces the value and forgets the steps. */
  reset: (to: Value) => void
}

export function useHistory<Value>(first: () => Value): History<Value> {
  const [{ now, before, after }, act] = useReducer(reduce<Value>, undefined, () => initial(first()))
  return {
    value: now,
    change: (by, about) => act({ do: 'change', by, about, at: Date.now() }),
    undo: before.length > 0 ? () => act({ do: 'undo' }) : undefined,
    redo: after.length > 0 ? () => act({ do: 'redo' }) : undefined,
    reset: (to) => act({ do: 'reset', to }),
  }
}
