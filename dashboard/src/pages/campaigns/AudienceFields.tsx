import { useDebouncedValue } from '@mantine/hooks'
import { useLists, useSegments } from '../../api/queries.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { plural } from '../../lib/format.ts'
import { SearchableMultiSelect } from '../../components/SearchableMultiSelect.tsx'
import type { Campaign } from './campaigns.ts'

type Audience = Campaign['audience']

/** Milliseconds after the last change before contacts are counted. */
const DEBOUNCE_MS = 400

/** Edits the audience of a campaign and shows its size. */
export function AudienceFields({ audience, onChange }: { audience: Audience; onChange: (audience: Audience) => void }) {
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
      <AudienceCount audience={audience} />
    </>
  )
}

/** Shows the current size of an audience. */
export function AudienceCount({ audience }: { audience: Audience }) {
  const [asked] = useDebouncedValue(audience, DEBOUNCE_MS)
  const isAnybody = asked.listIds.length + asked.segmentIds.length > 0
  const { data } = useWorkspaceQuery(
    ['campaigns', 'count', asked],
    async (api, signal) => (await api.POST('/campaigns/count', { body: { audience: asked }, signal })).data.data,
    { enabled: isAnybody },
  )
  const text = !isAnybody
    ? 'Choose a list or segment.'
    : data === undefined
      ? 'Counting recipients…'
      : `About ${plural(data.contactCount, 'recipient')}. Duplicates are removed; suppressed contacts are skipped when sending.`
  return (
    <p className="small t2" role="status">
      {text}
    </p>
  )
}
