import { useMemo } from 'react'
import { useCampaignOptions, useLists, useSegments } from '../../api/queries.ts'
import type { Option } from '../../lib/options.ts'
import type { Names } from './describe-condition.ts'

const NONE: readonly Option[] = []

/** Returns the names that sentences about conditions need. @param emails those of the automation */
export function useConditionNames(emails: readonly Option[] = NONE): Names {
  const lists = useLists()
  const segments = useSegments()
  const campaigns = useCampaignOptions()
  return useMemo(() => {
    const nameIn = (...options: (readonly Option[] | undefined)[]) => {
      const labels = new Map(options.flatMap((each) => each ?? []).map(({ value, label }) => [value, label]))
      return (id: string) => labels.get(id)
    }
    return { list: nameIn(lists), segment: nameIn(segments), email: nameIn(emails, campaigns) }
  }, [lists, segments, campaigns, emails])
}
