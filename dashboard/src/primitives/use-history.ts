import { useReducer } from 'react'

const MAX_STEPS = 100

interface State<Value> {
  now: Value
  before: readonly Value[]
  after: readonly Value[]
  /** The subject of the last change. */
  about: string | undefined
}

type Action<Value> =
  | { do: 'change'; by: (now: Value) => Value; about?: string | undefined }
  | { do: 'undo' | 'redo' }
  | { do: 'reset'; to: Value }

function reduce<Value>(state: State<Value>, action: Action<Value>): State<Value> {
  const { now, before, after, about } = state
  switch (action.do) {
    case 'change': {
      const to = action.by(now)
      if (to === now) return state
      // Consecutive changes of one thing, such as letters of a text, are one step.
      const goesOn = action.about !== undefined && action.about === about
      return {
        now: to,
        before: goesOn ? before : [...before, now].slice(-MAX_STEPS),
        after: [],
        about: action.about,
      }
    }
    case 'undo': {
      const last = before.at(-1)
      return last === undefined
        ? state
        : { now: last, before: before.slice(0, -1), after: [now, ...after], about: undefined }
    }
    case 'redo': {
      const [next, ...rest] = after
      return next === undefined ? state : { now: next, before: [...before, now], after: rest, about: undefined }
    }
    case 'reset':
      return initial(action.to)
  }
}

const initial = <Value>(now: Value): State<Value> => ({ now, before: [], after: [], about: undefined })

/** A value whose changes can be undone and redone. */
export interface History<Value> {
  value: Value
  /** @param about what changes: consecutive changes of the same thing are one step */
  change: (by: (now: Value) => Value, about?: string) => void
  /** Undefined if there is nothing to undo. */
  undo: (() => void) | undefined
  redo: (() => void) | undefined
  /** Replaces the value and forgets the steps. */
  reset: (to: Value) => void
}

export function useHistory<Value>(first: () => Value): History<Value> {
  const [{ now, before, after }, act] = useReducer(reduce<Value>, undefined, () => initial(first()))
  return {
    value: now,
    change: (by, about) => act({ do: 'change', by, about }),
    undo: before.length > 0 ? () => act({ do: 'undo' }) : undefined,
    redo: after.length > 0 ? () => act({ do: 'redo' }) : undefined,
    reset: (to) => act({ do: 'reset', to }),
  }
}
