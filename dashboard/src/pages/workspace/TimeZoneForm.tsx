import { useMutation } from '@tanstack/react-query'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { TIME_ZONES } from '../../lib/time-zones.ts'

/** Saves the time zone as soon as it is chosen. */
export function TimeZoneForm({ stored }: { stored: string }) {
  const { api } = useWorkspace()
  const isOwner = useHasRole('owner')
  const invalidate = useInvalidate()
  const save = useMutation({
    mutationFn: (timezone: string) => api.PATCH('/workspace', { body: { timezone } }),
    onSuccess: () => invalidate('settings'),
  })
  return (
    <div className="card still">
      {save.isError && <ErrorBanner error={save.error} scrollsIntoView />}
      <SearchableSelect
        label="Time zone"
        description="Applies to contacts without a time zone. Changes are saved immediately."
        disabled={save.isPending}
        readOnly={!isOwner}
        data={[...new Set([stored, ...TIME_ZONES])].map((zone) => ({ value: zone, label: zone }))}
        value={save.isPending ? save.variables : stored}
        onChange={(zone) => zone !== null && zone !== stored && save.mutate(zone)}
      />
    </div>
  )
}
