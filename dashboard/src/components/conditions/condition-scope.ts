import { createContext, type ReactNode, use } from 'react'
import type { Option } from '../../lib/options.ts'
import type { Kind, Loose } from './condition.ts'

/** The subjects of the conditions of an editor. */
interface Scope {
  kinds: readonly Kind[]
  /** The emails of the automation. */
  emails: readonly Option[]
  /** The event whose data is compared, if it is known. */
  event: string | undefined
  countOf: ((condition: Loose) => ReactNode) | undefined
}

export const ConditionScope = createContext<Scope>({ kinds: [], emails: [], event: undefined, countOf: undefined })
export const useConditionScope = (): Scope => use(ConditionScope)
