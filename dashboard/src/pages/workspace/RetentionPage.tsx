import { useSettings } from '../../api/queries.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { SettingsPage } from '../../layout/SettingsPage.tsx'
import { RetentionForms } from './RetentionForms.tsx'

/** Sets how long data is kept. */
export function RetentionPage() {
  const { data, error, refetch } = useSettings()
  return (
    <SettingsPage title="Data retention">
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data ? <RetentionForms stored={data} /> : !error && <SkeletonRows rows={4} />}
    </SettingsPage>
  )
}
