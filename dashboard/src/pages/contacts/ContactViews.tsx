import { useSegments } from '../../api/queries.ts'
import { SegmentCount } from '../../components/SegmentCount.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { ViewTabs } from '../../primitives/ViewTabs.tsx'

/** Segments that have a tab of their own. */
const MAX_TABS = 4
const ALL = 'all'

/** The saved views of the list of contacts: its segments. */
export function ContactViews({
  segmentId,
  onChange,
  children,
}: {
  segmentId: string | undefined
  onChange: (segmentId: string | undefined) => void
  children: React.ReactNode
}) {
  const segments = useSegments() ?? []
  const tabs = segments.slice(0, MAX_TABS)
  const others = segments.slice(MAX_TABS)
  const chosen = others.find(({ value }) => value === segmentId)
  return (
    <ViewTabs
      label="Views"
      views={[
        { id: ALL, label: 'All' },
        ...[...tabs, ...(chosen ? [chosen] : [])].map(({ value, label }) => ({
          id: value,
          label: (
            <>
              <bdi>{label}</bdi>{' '}
              <span className="t3">
                <SegmentCount segmentId={value} />
              </span>
            </>
          ),
        })),
      ]}
      value={segmentId ?? ALL}
      onChange={(id) => onChange(id === ALL ? undefined : id)}
    >
      <span className="row">
        {others.length > 0 && (
          <SearchableSelect
            aria-label="Segment"
            placeholder="More segments"
            clearable
            data={others}
            value={chosen?.value ?? null}
            onChange={(value) => onChange(value ?? undefined)}
          />
        )}
        {children}
      </span>
    </ViewTabs>
  )
}
