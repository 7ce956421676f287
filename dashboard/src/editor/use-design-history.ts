import { useEffect, useRef } from 'react'
import type { Design } from './blocks.ts'
import { stableJson } from '../lib/stable-json.ts'
import { useHistory } from '../primitives/use-history.ts'
import { fromDesign, toDesign } from './content.ts'

/**
 * Holds a design while it is edited, with undo.
 * @param save saves a change in the draft that has the design; it is not called when the editor only opens
 */
export function useDesignHistory(design: Design | null | undefined, save: (design: Design) => void) {
  const history = useHistory(() => fromDesign(design ?? undefined))
  const { value } = history
  const latest = useRef({ design, save })
  useEffect(() => void (latest.current = { design, save }))
  useEffect(() => {
    const now = toDesign(value)
    const before = toDesign(fromDesign(latest.current.design ?? undefined))
    if (stableJson(now) !== stableJson(before)) latest.current.save(now)
  }, [value])
  return history
}
