import { useSender } from '../../api/queries.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Page } from '../../layout/Page.tsx'
import { DnsRecords } from './DnsRecords.tsx'
import { SenderForm } from './SenderForm.tsx'
import { DkimSection } from './DkimSection.tsx'
import { ReceivingDomains } from './ReceivingDomains.tsx'
import { WarmUp } from './WarmUp.tsx'

export function SenderPage() {
  const { data, error, refetch } = useSender()
  return (
    <Page title="Sender" narrow>
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={6} />}
      {data && (
        <>
          <SenderForm sender={data} />
          <WarmUp sender={data} />
          {data.fromAddress !== null && <DkimSection sender={data} />}
          {data.records.length > 0 && <DnsRecords sender={data} />}
          <ReceivingDomains />
        </>
      )}
    </Page>
  )
}
