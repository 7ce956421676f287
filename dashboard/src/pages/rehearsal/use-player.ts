import { useHotkeys } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import type { Item } from './items.ts'

/** Milliseconds that the player shows each entry. */
const ENTRY_MS = 900

export interface Player {
  /** The position of the selected entry. */
  at: number
  select: (at: number) => void
  isPlaying: boolean
  /** Plays from the selected entry, or from the first one if the end is reached. */
  toggle: () => void
  /** Selects the next or previous message. */
  move: (by: 1 | -1) => void
}

/** Selects an entry of a timeline: the first message at the beginning, others by keys, and one after the other while it plays. */
export function usePlayer(items: readonly Item[]): Player {
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      items.findIndex(({ isMessage }) => isMessage),
    ),
  )
  const [isPlaying, setPlaying] = useState(false)
  const last = items.length - 1
  const select = (to: number) => {
    setPlaying(false)
    setAt(to)
  }
  const move = (by: 1 | -1) => {
    const messages = items.flatMap(({ isMessage }, n) => (isMessage ? [n] : []))
    const next = by === 1 ? messages.find((n) => n > at) : messages.findLast((n) => n < at)
    if (next !== undefined) select(next)
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['ArrowRight', () => move(1)],
    ['ArrowLeft', () => move(-1)],
  ])
  useEffect(() => {
    if (!isPlaying) return undefined
    const timer = setTimeout(() => {
      if (at >= last) setPlaying(false)
      else setAt(at + 1)
    }, ENTRY_MS)
    return () => clearTimeout(timer)
  }, [isPlaying, at, last])
  return {
    at,
    select,
    isPlaying,
    toggle() {
      if (!isPlaying && at >= last) setAt(0)
      setPlaying(!isPlaying)
    },
    move,
  }
}
