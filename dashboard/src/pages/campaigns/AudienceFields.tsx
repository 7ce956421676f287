import { useDebouncedValue } from '@mantine/hooks'
import { useLists, useSegments } from '../../api/queries.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { plural } from '../../lib/format.ts'
import { SearchableMultiSelect } from '../../components/SearchableMultiSelect.tsx'
import type { Campaign } from './campaigns.ts'

type Audience = Campaign['audience']

/** As long as somebody is choosing, in milliseconds. */
const DEBOUNCE_MS = 400

/** Whom a campaign is for, and how many these are at the moment. */
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
        label="But nobody of these lists"
        data={lists}
        value={exclude.listIds}
        onChange={(listIds) => without({ listIds })}
      />
      <SearchableMultiSelect
        label="And nobody of these segments"
        data={segments}
        value={exclude.segmentIds}
        onChange={(segmentIds) => without({ segmentIds })}
      />
      <AudienceCount audience={audience} />
    </>
  )
}

/** How many contacts an audience has now. */
export function AudienceCount({ audience }: { audience: Audience }) {
  const [asked] = useDebouncedValue(audience, DEBOUNCE_MS)
  const isAnybody = asked.listIds.length + asked.segmentIds.length > 0
  const { data } = useWorkspaceQuery(
    ['campaigns', 'count', asked],
    async (api, signal) => (await api.POST('/campaigns/count', { body: { audience: asked }, signal })).data.data,
    { enabled: isAnybody },
  )
  const says = !isAnybody
    ? 'Nobody yet: choose a list or a segment.'
    : data === undefined
      ? 'It is counted.'
      : `${plural(data.contactCount, 'contact')} at the moment, each once; whoever is suppressed is among them, and gets nothing.`
  return (
    <p className="small t2" role="status">
      {says}
    </p>
  )
}
