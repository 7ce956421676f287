import { TextInput } from '@mantine/core'
import { useLists, useSegments } from '../../../api/queries.ts'
import { StackedBar } from '../../../components/MessageBreakdown.tsx'
import { CategorySelect } from '../../../components/EmailSelects.tsx'
import { SearchableMultiSelect } from '../../../components/SearchableMultiSelect.tsx'
import { count } from '../../../lib/format.ts'
import { Step } from '../../../primitives/Steps.tsx'
import { leftOutText } from '../../suppressions/reasons.ts'
import type { AudienceCount } from './use-audience-count.ts'
import type { CampaignDraft } from './use-campaign-draft.ts'

interface Chosen {
  listIds: string[]
  segmentIds: string[]
}

/** Chooses who gets the campaign, and shows how many that are. */
export function AudienceStep({ draft: { form, fields }, audience }: { draft: CampaignDraft; audience: AudienceCount }) {
  const lists = useLists() ?? []
  const segments = useSegments() ?? []
  const options = [...lists, ...segments.map(({ value, label }) => ({ value, label: `${label} (segment)` }))]
  const isList = (id: string) => lists.some(({ value }) => value === id)
  const idsOf = ({ listIds, segmentIds }: Chosen) => [...listIds, ...segmentIds]
  const chosen = (ids: string[]): Chosen => ({
    listIds: ids.filter(isList),
    segmentIds: ids.filter((id) => !isList(id)),
  })
  return (
    <Step title="Audience" state={audience.recipients === 0 || !audience.isChosen ? 'error' : 'ok'}>
      <TextInput label="Name" description="Recipients don’t see it." {...form.getInputProps('name')} />
      <SearchableMultiSelect
        label="Include"
        data={options}
        value={idsOf(fields.audience)}
        onChange={(ids) => form.setFieldValue('audience', { ...fields.audience, ...chosen(ids) })}
      />
      <SearchableMultiSelect
        label="Exclude"
        data={options}
        value={idsOf(fields.audience.exclude)}
        onChange={(ids) => form.setFieldValue('audience', { ...fields.audience, exclude: chosen(ids) })}
      />
      <AudienceSum audience={audience} />
      <CategorySelect value={fields.category} onChange={(category) => form.setFieldValue('category', category)} />
    </Step>
  )
}

/** The audience as a sum that closes. */
function AudienceSum({ audience: { isChosen, recipients, suppressed, isBehind } }: { audience: AudienceCount }) {
  if (!isChosen) return <p className="t2">Choose at least one list or segment.</p>
  if (recipients === undefined) return <p className="t2">Counting contacts…</p>
  const leftOut = suppressed.reduce((sum, each) => sum + each.count, 0)
  return (
    <div className={isBehind ? 't3' : undefined} role="status">
      <StackedBar
        terms={[
          { meaning: 'accent', value: recipients },
          { meaning: 'warn', value: leftOut },
        ]}
      />
      <p style={{ marginTop: 8 }}>
        <strong>{count(recipients + leftOut)}</strong> in the audience = <strong>{count(recipients)}</strong> recipients
        {leftOut > 0 && ` + ${count(leftOut)} suppressed (${leftOutText(suppressed)})`}
      </p>
    </div>
  )
}
