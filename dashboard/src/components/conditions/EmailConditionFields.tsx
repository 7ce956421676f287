import { useCampaignOptions } from '../../api/queries.ts'
import { SearchableSelect } from '../SearchableSelect.tsx'
import type { PartProps } from './ConditionRow.tsx'
import { ACTIVITY_LABELS, OUTCOME_LABELS } from './condition.ts'
import { useConditionScope } from './condition-scope.ts'
import { VerbSelect, type Verb } from './VerbSelect.tsx'
import { WindowFields } from './EventFields.tsx'
import classes from './conditions.module.css'

const ACTIVITIES: Verb[] = Object.entries(ACTIVITY_LABELS).map(([value, labels]) => ({ value, labels }))
const OUTCOMES: Verb[] = Object.entries(OUTCOME_LABELS).map(([value, labels]) => ({ value, labels }))

/** Edits a condition on emails in general. */
export const ActivityFields = ({ name, part, isNegated, set }: PartProps) => (
  <>
    <VerbSelect
      className={classes.name}
      label={`${name}: attribute`}
      verbs={ACTIVITIES}
      value={String(part['activity'])}
      isNegated={isNegated}
      onChange={(activity, isNot) => set({ ...part, activity }, isNot)}
    />
    <WindowFields name={name} part={part} set={set} />
  </>
)

/** Edits a condition on one email of the automation or one campaign. */
export function MessageFields({ name, part, isNegated, set }: PartProps) {
  const { emails } = useConditionScope()
  const campaigns = useCampaignOptions()
  return (
    <>
      <VerbSelect
        className={classes.comparison}
        label={`${name}: comparison`}
        verbs={OUTCOMES}
        value={String(part['is'])}
        isNegated={isNegated}
        onChange={(is, isNot) => set({ ...part, is }, isNot)}
      />
      <SearchableSelect
        className={classes.value}
        aria-label={`${name}: attribute`}
        placeholder="Choose an email"
        data={[...emails, ...(campaigns ?? [])]}
        value={part['message'] === '' ? null : String(part['message'])}
        onChange={(message) => set({ ...part, message: message ?? '' })}
      />
    </>
  )
}
