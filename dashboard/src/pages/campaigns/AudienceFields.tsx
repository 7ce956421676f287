import { useDebouncedValue } from '@mantine/hooks'
import { useLists, useSegments } from '../../api/queries.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { plural } from '../../lib/format.ts'
import { SearchableMultiSelect } from '../../components/SearchableMultiSelect.tsx'
import { leftOutText } from '../suppressions/reasons.ts'
import type { Campaign } from './campaigns.ts'

type Audience = Campaign['audience']

/** An audience, and the category of the email, which determines who is suppressed. */
interface CountedAudience {
  audience: Audience
  category: Campaign['category']
}

/** Milliseconds after the last change before contacts are counted. */
const DEBOUNCE_MS = 400

interface AudienceFieldsProps extends CountedAudience {
  onChange: (audience: Audience) => void
}

/** Edits the audience of a campaign and shows its size. */
export function AudienceFields({ audience, category, onChange }: AudienceFieldsProps) {
  const lists = useLists() ?? []
  const segments = useSegments() ?? []
  const { exclude } = audience
  const without = (some: Partial<Audience['exclude']>) => onChange({ ...audience, exclude: { ...exclude, ...some } })
  return (
    <>
      <SearchableMultiSelect
        label="Lists"
        data={lists}
        value={audience.listIds}
        onChange={(listIds) => onChange({ ...audience, listIds })}
      />
      <SearchableMultiSelect
        label="Segments"
        data={segments}
        value={audience.segmentIds}
        onChange={(segmentIds) => onChange({ ...audience, segmentIds })}
      />
      <SearchableMultiSelect
        label="Excluded lists"
        data={lists}
        value={exclude.listIds}
        onChange={(listIds) => without({ listIds })}
      />
      <SearchableMultiSelect
        label="Excluded segments"
        data={segments}
        value={exclude.segmentIds}
        onChange={(segmentIds) => without({ segmentIds })}
      />
      <AudienceCount audience={audience} category={category} />
    </>
  )
}

/** Shows how many contacts would get a campaign now, and how many of its audience would not. */
export function AudienceCount({ audience, category }: CountedAudience) {
  const [asked] = useDebouncedValue(audience, DEBOUNCE_MS)
  const isAnybody = asked.listIds.length + asked.segmentIds.length > 0
  const { data } = useWorkspaceQuery(
    ['campaigns', 'count', asked, category],
    async (api, signal) =>
      (await api.POST('/campaigns/count', { body: { audience: asked, category }, signal })).data.data,
    { enabled: isAnybody },
  )
  const text = !isAnybody
    ? 'Choose a list or segment.'
    : data === undefined
      ? 'Counting recipients…'
      : `${plural(data.contactCount, 'recipient')} now, without duplicates.${
          data.suppressed.length === 0 ? '' : ` Not emailed: ${leftOutText(data.suppressed)}.`
        }`
  return (
    <p className="small t2" role="status">
      {text}
    </p>
  )
}
