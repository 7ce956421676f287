import { useMemo } from 'react'
import type { Names } from '../../components/conditions/describe-condition.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import type { Option } from '../../lib/options.ts'
import type { AutomationDraft } from './draft.ts'
import { indexTree, type TreeIndex } from './step-tree.ts'

/** Returns the emails of an automation that conditions can refer to, and the names that sentences need. */
export function useEmailNames(
  tree: TreeIndex,
  published: AutomationDraft,
): { names: Names; emails: readonly Option[] } {
  const emails = useMemo(() => {
    // A new step gets its final ID when it is published.
    const known = indexTree(published.steps)
    return tree.order.flatMap((id) => {
      const step = tree.find(id)?.step
      if (step?.type !== 'EMAIL' || !known.find(id)) return []
      return [{ value: id, label: step.name ?? (step.subject || 'No subject') }]
    })
  }, [tree, published])
  return { names: useConditionNames(emails), emails }
}
