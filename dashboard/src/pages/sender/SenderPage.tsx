import { useRead } from '../../api/workspace.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Page } from '../../shell/Page.tsx'
import { DnsRecords } from './DnsRecords.tsx'
import { SenderForm } from './SenderForm.tsx'
import { Signing } from './Signing.tsx'
import { Providers } from './Providers.tsx'
import { WarmUp } from './WarmUp.tsx'

/** From whom the workspace's mail is, and what the DNS of its domain has to say of that. */
export function SenderPage() {
  const { data, error, refetch } = useRead(
    ['sender'],
    async (api, signal) => (await api.GET('/sender', { signal })).data.data,
  )
  return (
    <Page title="Sender" narrow>
      {error && <Problem error={error} again={() => void refetch()} />}
      {!data && !error && <Rows rows={6} />}
      {data && (
        <>
          <SenderForm sender={data} />
          <WarmUp sender={data} />
          {data.fromAddress !== null && <Signing sender={data} />}
          {data.records.length > 0 && <DnsRecords sender={data} />}
          <Providers />
        </>
      )}
    </Page>
  )
}
