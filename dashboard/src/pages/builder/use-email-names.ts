import { useMemo } from 'react'
import type { Names } from '../../components/conditions/describe-condition.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import type { Option } from '../../lib/options.ts'
import type { TreeIndex } from './step-tree.ts'

/** Returns the emails of an automation that conditions can refer to, and the names that sentences need. */
export function useEmailNames(tree: TreeIndex): { names: Names; emails: readonly Option[] } {
  // A new step gets its final ID when it is published, also in the conditions.
  const emails = useMemo(
    () =>
      tree.order.flatMap((id) => {
        const step = tree.find(id)?.step
        return step?.type === 'EMAIL' ? [{ value: id, label: step.name ?? (step.subject || 'No subject') }] : []
      }),
    [tree],
  )
  return { names: useConditionNames(emails), emails }
}
