import { createContext, use } from 'react'
import type { Source } from '../../../components/conditions/condition.ts'
import type { Option } from '../../../lib/options.ts'

/** The data and emails that the conditions of an automation can refer to. */
interface FieldsContextValue {
  sources: readonly Source[]
  /** Its emails, once they are published. */
  emails: readonly Option[]
  /** The event that starts it. */
  trigger: string | undefined
  /** Opens the selected email on the canvas. */
  onDesign: () => void
}

export const FieldsContext = createContext<FieldsContextValue>({
  sources: [],
  emails: [],
  trigger: undefined,
  onDesign: () => undefined,
})
export const useFieldsContext = (): FieldsContextValue => use(FieldsContext)
