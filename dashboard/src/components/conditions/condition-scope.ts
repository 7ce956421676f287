import { createContext, type ReactNode, use } from 'react'
import type { Option } from '../../lib/options.ts'
import type { Kind, Loose } from './condition.ts'

/** The subjects of the conditions of an editor. */
interface Scope {
  kinds: readonly Kind[]
  /** The emails of the automation. */
  emails: readonly Option[]
  countOf: ((condition: Loose) => ReactNode) | undefined
}

export const ConditionScope = createContext<Scope>({ kinds: [], emails: [], countOf: undefined })
export const useConditionScope = (): Scope => use(ConditionScope)
